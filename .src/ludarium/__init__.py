"""Ludarium."""
