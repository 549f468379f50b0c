"""The service: every query over HTTP, for one row or many, in JSON or Arrow."""
