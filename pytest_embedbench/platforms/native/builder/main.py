"""SCons script: build a program for the machine we are on."""

from SCons.Script import AlwaysBuild, Default, DefaultEnvironment

env = DefaultEnvironment()

# The tools set their own flags; what the project asked for comes after them.
asked = {name: env.get(name, []) for name in ("CFLAGS", "CXXFLAGS")}
env.Tool("gcc")
env.Tool("g++")
env.Replace(CC="gcc", CXX="g++")
env.Append(**asked)

program = env.BuildProgram()
AlwaysBuild(env.Alias("buildprog", program))
Default(program)
