/*
 * Answers each message over IPC with the CPU time of a loop that only computes, in ms: a machine on which that varies is
 * not quiet. It is not the time that passes, in which the servers that wait on the same core do their last work.
 */
const steps = 20_000_000

process.on('message', () => {
  const before = process.cpuUsage()
  let value = 1
  for (let step = 0; step < steps; step++) value = (Math.imul(value, 1_664_525) + 1_013_904_223) | 0
  const { user, system } = process.cpuUsage(before)
  process.send({ ms: (user + system) / 1000, value })
})
