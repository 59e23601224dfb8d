/// Scripts that read the tables of instruments with their types and labels. They hold nothing of a study.
public enum InstrumentScripts {
    /// For pandas 2: `read_study("export")` is a dictionary of data frames.
    public static let pandas = """
        \"""Reads the tables of this folder into pandas, with types and labels.

        tables = read_study(".")
        tables["sleep"]["hours"].mean()
        \"""
        import pathlib

        import pandas


        def _bare(texts):
            \"""Takes away the ' that keeps spreadsheets from running a text.\"""
            return texts.str.removeprefix("'")


        def _table(path):
            table = pandas.read_csv(path, dtype="string", keep_default_na=False, encoding="utf-8")
            return table.apply(_bare).rename(columns=lambda name: name.removeprefix("'"))


        def _typed(values, kind, labels):
            values = values.mask(values == "")
            if kind == "integer":
                return pandas.to_numeric(values).astype("Int64")
            if kind == "decimal":
                return pandas.to_numeric(values).astype("Float64")
            if kind == "boolean":
                return values.map({"true": True, "false": False}).astype("boolean")
            if kind == "date":
                return pandas.to_datetime(values, format="%Y-%m-%d", errors="coerce")
            if kind == "datetime":
                return pandas.to_datetime(values, utc=True, format="ISO8601", errors="coerce")
            if kind == "choice":
                # Labels that two codes share would be one category: they get their codes behind them.
                shared = labels["label"].duplicated(keep=False)
                shown = labels["label"].mask(shared, labels["label"] + " [" + labels["code"] + "]")
                shown = dict(zip(labels["code"], shown))
                return pandas.Categorical(values.map(shown), categories=list(shown.values()))
            return values


        def read_study(folder="."):
            \"""The tables by name. Choices are categories of their labels, in the questionnaire's order;
            attrs["labels"] of a column has what people read.\"""
            folder = pathlib.Path(folder)
            codebook = _table(folder / "codebook.csv")
            labels = _table(folder / "labels.csv")
            tables = {}
            for name, columns in codebook.groupby("file", sort=False):
                table = _table(folder / f"{name}.csv")
                for _, column in columns.iterrows():
                    own = labels[(labels["file"] == name) & (labels["column"] == column["column"])]
                    table[column["column"]] = _typed(table[column["column"]], column["type"], own)
                    table[column["column"]].attrs["label"] = column["label"]
                table.attrs["labels"] = dict(zip(columns["column"], columns["label"]))
                tables[name] = table
            return tables

        """

    /// For R 4, without packages: `read_study("export")` is a list of data frames.
    public static let r = #"""
        # Reads the tables of this folder into R, with types and labels. No packages are needed.
        #
        #   source("export/read.R"); tables <- read_study("export"); mean(tables$sleep$hours)

        read_study <- function(folder = ".") {
          bare <- function(text) sub("^'", "", text)
          table <- function(name) {
            found <- read.csv(file.path(folder, name), colClasses = "character", check.names = FALSE,
                              na.strings = character(), encoding = "UTF-8", stringsAsFactors = FALSE)
            found[] <- lapply(found, bare)
            names(found) <- bare(names(found))
            found
          }
          typed <- function(values, type, labels) {
            values[values == ""] <- NA
            if (type == "integer" || type == "decimal") return(as.numeric(values))
            if (type == "boolean") return(values == "true")
            if (type == "date") return(as.Date(values, format = "%Y-%m-%d"))
            if (type == "datetime") {
              # 2026-03-01T10:00:00.5+01:00; R reads offsets without their colon.
              plain <- sub("Z$", "+0000", values)
              plain <- sub("([+-][0-9]{2}):([0-9]{2})$", "\\1\\2", plain)
              plain <- sub("[.][0-9]+", "", plain)
              return(as.POSIXct(plain, format = "%Y-%m-%dT%H:%M:%S%z", tz = "UTC"))
            }
            if (type == "choice") {
              shown <- labels$label
              shared <- shown %in% shown[duplicated(shown)]
              shown[shared] <- paste0(shown[shared], " [", labels$code[shared], "]")
              return(factor(values, levels = labels$code, labels = shown))
            }
            values
          }
          codebook <- table("codebook.csv")
          labels <- table("labels.csv")
          tables <- list()
          for (name in unique(codebook$file)) {
            found <- table(paste0(name, ".csv"))
            columns <- codebook[codebook$file == name, ]
            for (index in seq_len(nrow(columns))) {
              column <- columns$column[index]
              own <- labels[labels$file == name & labels$column == column, ]
              found[[column]] <- typed(found[[column]], columns$type[index], own)
              attr(found[[column]], "label") <- columns$label[index]
            }
            tables[[name]] <- found
          }
          tables
        }

        """#
}
