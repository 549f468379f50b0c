"""Queries on frozen circuits."""
