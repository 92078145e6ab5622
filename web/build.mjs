// Builds the page's script and style into the Python package. The same sources give the same bytes.
import { build } from "esbuild";

await build({
  entryPoints: { page: "src/page.tsx", widget: "src/widget.tsx", explorer: "src/explorer.css" },
  outdir: process.argv[2] ?? "../tla2py/view/bundle",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  charset: "utf8",
});
