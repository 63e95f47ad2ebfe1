import { type Input, isObject, type Json, type JsonObject, type Ref } from '../../../kernel/index.ts'
import { batchRequest } from './file-batch.ts'
import { placeOfSource } from './read-place.ts'
import type { Running } from './running.ts'
import { MOST_EVENTS } from './topics.ts'

/** Requests the next events of each file that is not being read. */
export function readFiles({ x, args, session, input }: Running): void {
  for (const source of args.sources) {
    if (source.from !== 'file') continue
    const request = batchRequest(source, placeOfSource(session.position.read, source.name))
    const isPending = x.pendingEffects().some((effect) => effect.id !== settledBy(input) && isReading(effect.args, source.name))
    if (request !== undefined && !isPending) x.request('ingress', request as unknown as JsonObject)
  }
}

/** Returns the effect that an input settles: it is pending until the step has ended. */
function settledBy(input: Input | undefined): Ref | undefined {
  return input?.[0] === 'ok' || input?.[0] === 'err' ? input[1] : undefined
}

function isReading(args: Json | undefined, name?: string): boolean {
  return isObject(args) && args.from === 'file' && (name === undefined || args.name === name)
}

/** Reads no file on until the intents are acknowledged. One that is being read is read again then. */
export function dropReads({ x, input }: Running): void {
  const reading = x.pendingEffects().filter(({ id, args }) => id !== settledBy(input) && isReading(args))
  if (reading.length > 0) x.drop(...reading.map(({ id }) => id))
}

/** Returns the most events that an effect was to read. */
export function mostOf(args: Json | undefined): number {
  return isObject(args) && typeof args.most === 'number' ? args.most : MOST_EVENTS
}
