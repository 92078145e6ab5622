-------------------------------- MODULE Json --------------------------------
\* Written for tla2py: reads the files of a run without the Java classes of the CommunityModules.
LOCAL INSTANCE Sequences
LOCAL INSTANCE Tla2pyLog

\* TLC cannot evaluate it, and shows the text. An assertion that fails would be a violation.
LOCAL Lacks(name) ==
  [nothing \in {} |-> nothing][name \o " needs the Java classes of the CommunityModules: tla2py tools install rolling"]

ndJsonDeserialize(absoluteFilename) == Tla2py_Lines(absoluteFilename)
JsonDeserialize(absoluteFilename) == Tla2py_Value(absoluteFilename)
ToJson(value) == Lacks("ToJson")
ToJsonArray(value) == Lacks("ToJsonArray")
ToJsonObject(value) == Lacks("ToJsonObject")
JsonSerialize(absoluteFilename, value) == Lacks("JsonSerialize")
ndJsonSerialize(absoluteFilename, value) == Lacks("ndJsonSerialize")
=============================================================================
