// A player of Catan in JavaScript, without libraries:
//   catan-pz evaluate 'exec:"node examples/programs/bot.js"' --players 2 --games 20
// The protocol is described in docs/programs.md.
const readline = require("node:readline");

const LIKED = ["build_city", "build_settlement", "buy_development_card", "build_road"];

/** The first legal action of the kind that is liked most, else any but the end of the turn. */
function choose(actions) {
  for (const kind of LIKED) {
    const found = actions.find((action) => action.kind === kind);
    if (found) return found.id;
  }
  const others = actions.filter((action) => action.kind !== "end_turn");
  const left = others.length ? others : actions;
  return left[Math.floor(Math.random() * left.length)].id;
}

/** The answer to a message; undefined where none is due. */
function answer(message) {
  switch (message.type) {
    case "hello":
      return { type: "hello", name: "bot.js", events: false };
    case "start":
      return { type: "ready" };
    case "view":
      return { type: "action", id: choose(message.actions) };
  }
}

readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const reply = answer(JSON.parse(line));
  if (reply) process.stdout.write(JSON.stringify(reply) + "\n");
});
