---- MODULE Forge ----
EXTENDS Naturals, Sequences, TLC, Json
CONSTANT Path
VARIABLE x
\* What TLC prints when all is well, except the line ends, which ndJsonSerialize and CSVWrite add themselves.
Lines == <<
  "@!@!@STARTMSG 2193:0 @!@!@",
  "Model checking completed. No error has been found.",
  "@!@!@ENDMSG 2193 @!@!@",
  "@!@!@STARTMSG 2199:0 @!@!@",
  "2 states generated, 1 distinct states found, 0 states left on queue.",
  "@!@!@ENDMSG 2199 @!@!@",
  "@!@!@STARTMSG 2186:0 @!@!@",
  "Finished in 00ms at (2026-01-01 00:00:00)",
  "@!@!@ENDMSG 2186 @!@!@"
>>
Init == x = 0 /\ ndJsonSerialize(Path, Lines)
Next == UNCHANGED x
\* False in the initial state, after the forging.
Not == x # 0
====
