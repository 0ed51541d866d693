// Checks the programs of the pages: `make lint-pages`.

const browser = [
  "AudioContext", "Blob", "CompressionStream", "DecompressionStream", "Option", "Response", "URL", "URLSearchParams", "WebSocket", "addEventListener", "atob", "btoa",
  "clearInterval", "document", "fetch", "getComputedStyle", "history", "innerHeight", "localStorage", "location", "matchMedia", "navigator", "sessionStorage",
  "setInterval", "setTimeout", "window",
];

export default [
  {
    files: ["catan_pz/web/pages/*.js"],
    languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) },
    rules: {
      eqeqeq: "error",
      "no-undef": "error",
      "no-unreachable": "error",
      "no-unused-vars": "error",
      "no-use-before-define": "error",
      "no-var": "error",
      "prefer-const": "error",
    },
  },
];
