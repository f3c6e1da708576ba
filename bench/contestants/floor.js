/* PORT=8081 node bench/contestants/floor.js */
import { createServer } from 'node:http'

/** The floor: an empty answer to whatever is asked. No service on node:http is cheaper. */
createServer((_request, response) => response.end()).listen(Number(process.env.PORT ?? 8080), '127.0.0.1')
