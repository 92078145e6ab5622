"""Sweeps from sweep files, manifests, configs and folders."""
