"""SCons script of the library: Unity is compiled with the configuration of its tests.

That is the one that PlatformIO writes, or one that the tests bring. A firmware that has
Unity in it by itself is no such test, and prints by putchar().
"""

from pathlib import PurePosixPath

Import("env")

if "__test" in COMMAND_LINE_TARGETS:
    suite = PurePosixPath(env.get("PIOTEST_RUNNING_NAME", ""))
    folders = [f"$PROJECT_TEST_DIR/{path}" for path in (suite, *suite.parents)]
    env.Append(CPPDEFINES=["UNITY_INCLUDE_CONFIG_H"])
    env.Prepend(CPPPATH=["$BUILD_DIR/unity_config", *folders])
