// What Twice.b64 was made from, but for the imports.
public class Twice { public static IntValue Double(IntValue n) { return IntValue.gen(n.val * 100); } }
