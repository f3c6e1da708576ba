/*
 * node --import ./scripts/typescript.js FILE
 *
 * Lets a process load TypeScript, and its threads, too: tsx leaves those out.
 */
import { isMainThread } from 'node:worker_threads'
import 'tsx'
import { register } from 'tsx/esm/api'

if (!isMainThread) register()
