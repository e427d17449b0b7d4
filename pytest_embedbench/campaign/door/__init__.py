"""The agents' door: what an agent may do, as tools of the Model Context Protocol."""
