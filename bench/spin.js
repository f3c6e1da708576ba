/*
 * Answers each message over IPC with how long a loop took that only computes, in ms: a machine on which that varies is
 * not quiet.
 */
const steps = 20_000_000

process.on('message', () => {
  const began = performance.now()
  let value = 1
  for (let step = 0; step < steps; step++) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0
  process.send({ ms: performance.now() - began, value })
})
