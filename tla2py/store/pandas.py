"""Arrow tables as pandas frames; the only module that imports pandas."""

from __future__ import annotations

import pyarrow as pa

from tla2py.errors import InputError

try:
    import pandas as pd
except ImportError as error:
    raise InputError(
        "pandas-missing",
        "tables as frames need pandas",
        hint="pip install 'tla2py[pandas]', or take Arrow tables: store.arrow(\"runs\")",
    ) from error

# A column of counts stays an integer column even if some are null.
_NULLABLE = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def pandas_frame(table: pa.Table) -> pd.DataFrame:
    """A frame with nullable integer and boolean columns."""
    frame: pd.DataFrame = table.to_pandas(types_mapper=_NULLABLE.get)
    return frame
