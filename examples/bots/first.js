// A bot for any game in JavaScript: plays the first legal action.
// Try: ludarium match othello "process:node examples/bots/first.js" greedy
const lines = require("readline").createInterface({ input: process.stdin });

lines.on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") console.log(JSON.stringify({ protocol: 1 }));
  if (message.type === "act") console.log(JSON.stringify({ action: message.legal[0] }));
  if (message.type === "end") lines.close();
});
