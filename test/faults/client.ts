import { request, type Agent } from 'node:http'

/** An animal that was sent, and its id once that is acknowledged. */
export interface Sent {
  name: string
  categoryId: bigint
  status: 'available' | 'pending' | 'sold'
  id: bigint | undefined
}

/** An animal to send. */
export function newPet(name: string, random: () => number): Sent {
  const statuses = ['available', 'pending', 'sold'] as const
  return {
    name,
    // beyond what a double can hold
    categoryId: (1n << 62n) + BigInt(Math.floor(random() * 2 ** 32)),
    status: statuses[Math.floor(random() * 3)] ?? 'sold',
    id: undefined,
  }
}

/** Adds an animal, and tells whether that was acknowledged. Its name is its Idempotency-Key: it may be sent again. */
export function post(
  address: string,
  { key, one, agent }: { key: string; one: Sent; agent?: Agent },
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const sending = request(`${address}/pets`, {
      method: 'POST',
      ...(agent && { agent }),
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': one.name },
    })
    sending.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', () => {
        resolve(false)
      })
      response.on('end', () => {
        const id = /^\{"id":(\d+),/.exec(text)?.[1]
        if (response.statusCode !== 201 || id === undefined) {
          reject(new Error(`The answer to a POST is ${response.statusCode ?? 'none'}: ${text}`))
          return
        }
        one.id = BigInt(id)
        resolve(true)
      })
    })
    // the process was killed
    sending.on('error', () => {
      resolve(false)
    })
    sending.end(bodyOf(one))
  })
}

/** The body that adds an animal. */
export function bodyOf({ name, categoryId, status }: Sent): string {
  return `{"name":"${name}","categoryId":${categoryId},"status":"${status}"}`
}
