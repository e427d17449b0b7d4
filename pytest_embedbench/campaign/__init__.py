"""Campaigns: agents at work on tasks, and what became of it.

A workspace is what an agent is given; a desk takes its submissions, has them judged
outside of the agent's reach, and says as much as the mode of feedback lets it.
"""
