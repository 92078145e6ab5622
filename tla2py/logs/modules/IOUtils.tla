------------------------------ MODULE IOUtils ------------------------------
\* Written for tla2py: the environment of a run without the Java classes of the CommunityModules.
LOCAL INSTANCE TLC
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE Tla2pyLog

\* TLC cannot evaluate it, and shows the text. An assertion that fails would be a violation.
LOCAL Lacks(name) ==
  [nothing \in {} |-> nothing][name \o " needs the Java classes of the CommunityModules: tla2py tools install rolling"]
LOCAL Digit(text) == CHOOSE digit \in 0..9 : ToString(digit) = text
RECURSIVE Natural(_)
LOCAL Natural(text) ==
  IF text = "" THEN 0
  ELSE 10 * Natural(SubSeq(text, 1, Len(text) - 1)) + Digit(SubSeq(text, Len(text), Len(text)))

IOEnv == Tla2py_Environment
atoi(str) == IF SubSeq(str, 1, 1) = "-" THEN -Natural(SubSeq(str, 2, Len(str))) ELSE Natural(str)
IOSerialize(val, absoluteFilename, compress) == Lacks("IOSerialize")
IODeserialize(absoluteFilename, compressed) == Lacks("IODeserialize")
Serialize(value, dest, options) == Lacks("Serialize")
Deserialize(src, options) == Lacks("Deserialize")
IOExec(command) == Lacks("IOExec")
IOEnvExec(env, command) == Lacks("IOEnvExec")
IOExecTemplate(commandTemplate, parameters) == Lacks("IOExecTemplate")
IOEnvExecTemplate(env, commandTemplate, parameters) == Lacks("IOEnvExecTemplate")
============================================================================
