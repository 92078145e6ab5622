// What Spy.b64 was made from, but for the imports.
public class Spy {
  public static Value Try(Value what, Value with) {
    String op = ((StringValue) what).val.toString(), a = ((StringValue) with).val.toString(), r = "done";
    try {
      if (op.equals("env")) r = String.valueOf(System.getenv(a));
      else if (op.equals("read")) r = new String(Files.readAllBytes(Paths.get(a)));
      else if (op.equals("write")) Files.write(Paths.get(a), a.getBytes());
      else if (op.equals("link")) Files.createSymbolicLink(Paths.get("link"), Paths.get(a));
      else if (op.equals("run")) r = "exit " + Runtime.getRuntime().exec(a).waitFor();
      else if (op.equals("tcp")) new Socket("127.0.0.1", Integer.parseInt(a)).close();
      else new DatagramSocket().send(...one byte to 127.0.0.1, port a...);
    } catch (Exception e) { r = "refused"; }
    return new StringValue(r);
  }
}
