"""Queries as i2b2's CRC cell writes them in SQL for PostgreSQL, for queries.py.

The statements follow i2b2-core-server (edu.harvard.i2b2.crc, dao/setfinder/querybuilder): TemporalPanelItem and
TemporalPanelConceptItem for what is dragged, ValueConstrainsHandler for values, DateConstrainHandler for dates,
TotalItemOccurrenceHandler for totals, and TemporalPanel for how panels are put together. What is dragged is a row of the
ontology, and nothing else of the warehouse is known here.
"""


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def dimension_code(row):
    """SqlClauseUtil.handleMetaDataTextValue and TemporalPanelItem.buildDimensionJoinSql."""
    value = row["c_dimcode"]
    if row["c_columndatatype"] != "T":
        return value
    if row["c_operator"] == "LIKE":
        value += "" if value.endswith("\\") else "\\"
        return quoted(value + "%").replace("\\", "\\\\")
    return quoted(value)


def selection(row, alias):
    return (f"{alias}{row['c_facttablecolumn']} IN (select {row['c_facttablecolumn']} from {row['c_tablename']} "
            f"where {row['c_columnname']} {row['c_operator']} {dimension_code(row)})")


NUMBER = {
    "GT": "((valtype_cd = 'N' AND nval_num > {0} AND tval_char IN ('E','GE')) OR "
          "(valtype_cd = 'N' AND nval_num >= {0} AND tval_char = 'G'))",
    "GE": "valtype_cd = 'N' AND nval_num >= {0} AND tval_char IN ('E','GE','G')",
    "LT": "((valtype_cd = 'N' AND nval_num < {0} AND tval_char IN ('E','LE')) OR "
          "(valtype_cd = 'N' AND nval_num <= {0} AND tval_char = 'L'))",
    "LE": "valtype_cd = 'N' AND nval_num <= {0} AND tval_char IN ('E','LE','L')",
    "EQ": "valtype_cd = 'N' AND nval_num = {0} AND tval_char='E'",
    "BETWEEN": "valtype_cd = 'N' AND nval_num BETWEEN {0} and {1} AND tval_char ='E'",
    "NE": "((valtype_cd = 'N' AND nval_num <> {0} AND tval_char <> 'NE') OR "
          "(valtype_cd = 'N' AND nval_num = {0} AND tval_char ='NE'))",
}
LIKE = {"begin": "{}%", "end": "%{}", "contains": "%{}%"}


def value_constraint(kind, operator, *values):
    """ValueConstrainsHandler.constructValueConstainClause."""
    if kind == "number":
        return NUMBER[operator].format(*values)
    if kind == "largetext":
        return f"valtype_cd = 'B' AND observation_blob @@ to_tsquery('english', {quoted(values[0])})"
    if operator in LIKE:
        return f"valtype_cd = 'T' AND tval_char LIKE {quoted(LIKE[operator].format(values[0]))}"
    if operator in ("EQ", "exact"):
        return f"valtype_cd = 'T' AND tval_char = {quoted(values[0])}"
    if operator == "IN":
        return f"valtype_cd = 'T' AND tval_char IN ({','.join(quoted(value) for value in values)})"
    return f"valtype_cd = 'T' AND tval_char <> {quoted(values[0])} AND tval_char <> ''"


class Item:
    """What is dragged into a panel: a node, with a value, a modifier with its value, dates."""

    def __init__(self, node, value=None, modifier=None, modifier_value=None, dates=(None, None)):
        self.node, self.value, self.modifier, self.modifier_value, self.dates = node, value, modifier, modifier_value, dates

    def sql(self, columns, having):
        fact = self.node["c_tablename"] != "patient_dimension"
        table = "observation_fact f" if fact else "patient_dimension f"
        clauses = [selection(self.node, "f.")]
        if self.modifier:
            clauses.append(f"({selection(self.modifier, 'f.')})")
            if self.modifier_value:
                clauses.append(f"({value_constraint(*self.modifier_value)})")
        if self.value:
            clauses.append(f"(modifier_cd = '@' AND {value_constraint(*self.value)})")
        if self.dates[0]:
            clauses.append(f"(f.start_date >= '{self.dates[0]}.00')")
        if self.dates[1]:
            clauses.append(f"(f.start_date <= '{self.dates[1]}.99')")
        keys = ", ".join("f." + column for column in columns)
        return f"select {keys} from {table} where {' AND '.join(clauses)} group by {keys}{having}"


class Panel:
    """Items of which one has to be found, or none."""

    def __init__(self, *items, exclude=False, total=None):
        self.items, self.exclude, self.total = items, exclude, total

    def sql(self, columns):
        having = ""
        if self.total:
            having = (" having count(distinct f.patient_num || '|' || f.encounter_num || '|' || f.provider_id || '|' || "
                      "f.instance_num || '|' || f.concept_cd || '|' || cast(f.start_date as varchar(50))) "
                      f"{self.total[0]} {self.total[1]}")
        return " union all ".join(f"({item.sql(columns, having)})" for item in self.items)


def query(panels, same_visit=False):
    """The statements of a query, the last of which gives the number of patients (TemporalPanel)."""
    columns = ["encounter_num", "patient_num"] if same_visit else ["patient_num"]
    # Panels that exclude come last.
    panels = sorted(panels, key=lambda panel: panel.exclude)
    names = ", ".join(columns)
    text = f"truncate query_global_temp; insert into query_global_temp ({names}, panel_count) with t as ({panels[0].sql(columns)}) "
    text += f"select distinct {', '.join('t.' + column for column in columns)}, 0 as panel_count from t;\n"
    count = 0
    for panel in panels[1:]:
        join = " and ".join(f"query_global_temp.{column} = t.{column}" for column in columns)
        new = -1 if panel.exclude else count + 1
        text += (f"with t as ({panel.sql(columns)}) update query_global_temp set panel_count = {new} "
                 f"where query_global_temp.panel_count = {count} and exists (select 1 from t where {join});\n")
        count = count if panel.exclude else new
    return text + f"select count(distinct patient_num) from query_global_temp where panel_count = {count};\n"


PREPARATION = "create temp table query_global_temp (encounter_num int, patient_num int, panel_count int);\n"
