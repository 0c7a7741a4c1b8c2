"""Third schema of zerikai.db: attempts at models with their tokens and costs, budgets, and sizes of replies."""

from __future__ import annotations

import sqlite3

_WHO = "workspace_id TEXT NOT NULL, session TEXT NOT NULL, task TEXT NOT NULL"


def usage_schema(connection: sqlite3.Connection) -> None:
    """Add what a meter writes; nothing of it was there before."""
    connection.execute(
        "CREATE TABLE usage ("
        f" seq INTEGER PRIMARY KEY AUTOINCREMENT, request_id TEXT NOT NULL, attempt INTEGER NOT NULL, {_WHO},"
        " operation TEXT NOT NULL, backend TEXT NOT NULL, remote INTEGER NOT NULL, free INTEGER NOT NULL,"
        " model_asked TEXT NOT NULL, model_answered TEXT, provider_request_id TEXT, prefix_hash TEXT,"
        " prompt_tokens INTEGER, cached_tokens INTEGER, completion_tokens INTEGER, reasoning_tokens INTEGER,"
        " tool_calls INTEGER, reserved_prompt_tokens INTEGER NOT NULL, reserved_completion_tokens INTEGER NOT NULL,"
        " reserved_nano_usd INTEGER, cost_nano_usd INTEGER, price_version TEXT, estimated INTEGER NOT NULL,"
        " status TEXT NOT NULL, failure TEXT, started_at REAL NOT NULL, ended_at REAL, duration_s REAL,"
        " raw_usage TEXT, owner TEXT NOT NULL, UNIQUE (request_id, attempt))"
    )
    connection.execute("CREATE INDEX usage_by_time ON usage (started_at)")
    connection.execute("CREATE INDEX usage_open ON usage (owner) WHERE status = 'started'")
    connection.execute("CREATE INDEX usage_unpriced ON usage (started_at) WHERE cost_nano_usd IS NULL")
    connection.execute(
        "CREATE TABLE usage_totals ("
        f" at REAL NOT NULL, {_WHO}, operation TEXT NOT NULL, backend TEXT NOT NULL, model TEXT NOT NULL,"
        " remote INTEGER NOT NULL, free INTEGER NOT NULL, status TEXT NOT NULL, retried INTEGER NOT NULL,"
        " attempts INTEGER NOT NULL, unpriced INTEGER NOT NULL, estimated INTEGER NOT NULL,"
        " prompt_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,"
        " reasoning_tokens INTEGER NOT NULL, tool_calls INTEGER NOT NULL, cost_nano_usd INTEGER NOT NULL)"
    )
    connection.execute("CREATE INDEX usage_totals_by_time ON usage_totals (at)")
    connection.execute(
        "CREATE TABLE usage_periods ("
        " start_at REAL NOT NULL, end_at REAL NOT NULL, backend TEXT NOT NULL, state TEXT NOT NULL,"
        " reason TEXT NOT NULL, created_at REAL NOT NULL, PRIMARY KEY (start_at, end_at, backend))"
    )
    connection.execute(
        "CREATE TABLE usage_prices ("
        " version TEXT PRIMARY KEY, provider TEXT NOT NULL, model TEXT NOT NULL, valid_from TEXT NOT NULL,"
        " period TEXT NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL,"
        " source TEXT NOT NULL)"
    )
    connection.execute(
        "CREATE TABLE budgets ("
        " id INTEGER PRIMARY KEY AUTOINCREMENT, scope TEXT NOT NULL, workspace_id TEXT NOT NULL, subject TEXT NOT NULL,"
        " period TEXT NOT NULL, unit TEXT NOT NULL, amount INTEGER NOT NULL, action TEXT NOT NULL,"
        " warn_percent REAL, stop_percent REAL, created_at REAL NOT NULL,"
        " UNIQUE (scope, workspace_id, subject, period, unit))"
    )
    connection.execute(
        "CREATE TABLE replies ("
        f" seq INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, {_WHO}, tool TEXT NOT NULL,"
        " characters INTEGER NOT NULL, whole_file_characters INTEGER)"
    )
    connection.execute("CREATE INDEX replies_by_time ON replies (at)")
