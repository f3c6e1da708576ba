import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Why nothing can listen on an address, by the code of the system. */
const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another process listens there',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'no address is known for that name',
  EACCES: 'this user may not use that port',
}

/** Starts to listen, and resolves with the address of the server, such as `http://127.0.0.1:8080`. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = reasons[error.code ?? ''] ?? error.message
      reject(new Error(`Cannot listen on ${host}:${port}: ${reason}. Set HOST and PORT to another address.`))
    })
    server.listen(port, host, resolve)
  })
  const { address, family, port: actual } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}
