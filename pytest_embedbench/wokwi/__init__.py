"""Wokwi's protocol, version 1: JSON text frames over one websocket.

What both ends share, our client and our server: the frames, the names of commands and
events, and checked reading of what comes in.
"""
