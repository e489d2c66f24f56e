"""Records to tables and text for people and for programs.

Non-goals: no verdict, no exit code and no number is computed here that a record does not hold.
"""

from ferrotile.report.batches import batch_table, result_json, result_text, summary_json, summary_text
from ferrotile.report.captures import capture_json, capture_table, capture_text
from ferrotile.report.excerpt import side_by_side
from ferrotile.report.exports import crate_json, crate_text, export_json, export_text
from ferrotile.report.generics import generic_text, generics_summary, generics_table
from ferrotile.report.interpretations import interpretation_json, interpretation_text, watched_json, watched_text
from ferrotile.report.page import page_html, page_json, write_page
from ferrotile.report.replays import replay_json, replay_text
from ferrotile.report.runs import (
    acceptance_json,
    acceptance_text,
    outcome_json,
    outcome_text,
    step_json,
    step_text,
)
from ferrotile.report.summary import Summary, summarize
from ferrotile.report.tables import coverage_table, findings_text, rows_table
from ferrotile.report.text import comparison_json, comparison_text, error_json, error_text, row_text
from ferrotile.report.times import pack_json, pack_text, times_table, times_text
from ferrotile.report.transplants import case_json, case_text, transplant_json, transplant_table, transplant_text

__all__ = [
    "Summary",
    "acceptance_json",
    "acceptance_text",
    "batch_table",
    "capture_json",
    "capture_table",
    "capture_text",
    "case_json",
    "case_text",
    "comparison_json",
    "comparison_text",
    "coverage_table",
    "crate_json",
    "crate_text",
    "error_json",
    "error_text",
    "export_json",
    "export_text",
    "findings_text",
    "generic_text",
    "generics_summary",
    "generics_table",
    "interpretation_json",
    "interpretation_text",
    "outcome_json",
    "outcome_text",
    "pack_json",
    "pack_text",
    "page_html",
    "page_json",
    "replay_json",
    "replay_text",
    "result_json",
    "result_text",
    "row_text",
    "rows_table",
    "side_by_side",
    "step_json",
    "step_text",
    "summarize",
    "summary_json",
    "summary_text",
    "times_table",
    "times_text",
    "transplant_json",
    "transplant_table",
    "transplant_text",
    "watched_json",
    "watched_text",
    "write_page",
]
