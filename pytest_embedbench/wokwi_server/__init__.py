"""Wokwi's protocol over the engines of this machine: an offline Wokwi for its clients.

Simulations are those of circuits here; who connects is a client of Wokwi's cloud.
"""
