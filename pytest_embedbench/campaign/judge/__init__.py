"""Judging free-form answers by a language model: score, reflect twice, reconcile."""
