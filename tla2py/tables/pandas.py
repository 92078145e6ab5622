"""Arrow tables as pandas frames; the only module that imports pandas."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

# A column of counts stays an integer column even if some are null.
_NULLABLE = {pa.int32(): pd.Int32Dtype(), pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()}


def pandas_frame(table: pa.Table) -> pd.DataFrame:
    """A frame with nullable integer and boolean columns."""
    frame: pd.DataFrame = table.to_pandas(types_mapper=_NULLABLE.get)
    return frame
