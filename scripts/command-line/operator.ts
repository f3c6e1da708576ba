import { hostname, userInfo } from 'node:os'

/**
 * Who runs this command, as far as the system tells: `root@host`, and the user who became root by sudo. A user of a container
 * may have a number alone.
 */
export function operator(): string {
  return `${process.env.SUDO_USER ?? userName()}@${hostname()}`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}
