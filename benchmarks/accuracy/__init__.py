"""Errors, speed and memory beside the peers on the twelve data sets."""
