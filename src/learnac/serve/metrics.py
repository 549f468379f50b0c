"""What the service counts of itself, in the text form that Prometheus reads."""

from __future__ import annotations

from collections import Counter
from threading import Lock

_BUCKETS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


class Metrics:
    """Requests by path and status, and how long they took. Changes in place, from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()
        self.in_flight = 0

    def begun(self) -> None:
        with self._lock:
            self.in_flight += 1

    def ended(self, query: str, status: int, seconds: float) -> None:
        with self._lock:
            self.in_flight -= 1
            self._requests[query, status] += 1
            self._seconds[query] += seconds  # type: ignore[assignment]
            for bound in _BUCKETS:
                if seconds <= bound:
                    self._buckets[query, bound] += 1

    def text(self, n_models: int) -> str:
        with self._lock:
            counts: Counter[str] = Counter()
            lines = ["# TYPE learnac_requests_total counter"]
            for (query, status), count in sorted(self._requests.items()):
                counts[query] += count
                lines.append(f'learnac_requests_total{{query="{query}",status="{status}"}} {count}')
            lines.append("# TYPE learnac_request_seconds histogram")
            for query, count in sorted(counts.items()):
                for bound in _BUCKETS:
                    found = self._buckets[query, bound]
                    lines.append(f'learnac_request_seconds_bucket{{query="{query}",le="{bound}"}} {found}')
                lines.append(f'learnac_request_seconds_bucket{{query="{query}",le="+Inf"}} {count}')
                lines.append(f'learnac_request_seconds_sum{{query="{query}"}} {self._seconds[query]}')
                lines.append(f'learnac_request_seconds_count{{query="{query}"}} {count}')
            lines += ["# TYPE learnac_requests_in_flight gauge", f"learnac_requests_in_flight {self.in_flight}"]
            lines += ["# TYPE learnac_models gauge", f"learnac_models {n_models}"]
        return "\n".join(lines) + "\n"
