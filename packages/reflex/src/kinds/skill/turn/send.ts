import type { Turn } from './turn.ts'

/** Sends a request of the agent, or its next round. The port puts the bulletin in, and adds the rounds that the agent does not see. */
export function send(turn: Turn, id: string): void {
  const round = turn.position.requests[id]?.hidden.length ?? 0
  turn.flight(turn.x.request('wrap.model', { id, ...(round === 0 ? {} : { round }) }), id)
}
