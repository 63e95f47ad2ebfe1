import { assign, createActor, fromPromise, setup } from 'xstate'
import { agent } from '../workflows.ts'

/**
 * The peer: the same nodes in a row as a machine of xstate 5, whose every state invokes the same agent as a
 * promise and writes what it answers into the context.
 */
export function xstateLine(size: number): () => Promise<void> {
  const decide = fromPromise(({ input }: { input: string }) =>
    agent.resolve({ node: { id: input, spec: {} }, validEdges: [{ id: 'e', from: input, to: '', event: 'NEXT' }] } as never),
  )
  const write = assign(
    ({ context, event }: { context: Record<string, unknown>; event: { output: { writes?: { key: string; value: unknown }[] } } }) =>
      Object.fromEntries(
        (event.output.writes ?? []).map(({ key, value }) => [key, [...((context[key] as unknown[]) ?? []), { value, at: Date.now() }]]),
      ),
  )
  const states = Object.fromEntries(
    Array.from({ length: size }, (_, i) => [
      `n${i}`,
      i === size - 1 ? { type: 'final' } : { invoke: { src: 'decide', input: `n${i}`, onDone: { target: `n${i + 1}`, actions: 'write' } } },
    ]),
  )
  const machine = setup({ actors: { decide }, actions: { write: write as never } }).createMachine({
    id: 'line',
    initial: 'n0',
    context: {},
    states,
  } as never)
  return () =>
    new Promise((resolve, reject) => {
      const actor = createActor(machine)
      actor.subscribe({ complete: resolve, error: reject })
      actor.start()
    })
}
