import type { Reflex } from '../app/reflex.ts'
import type { Ref } from '../kernel/index.ts'
import type { ServeMetrics } from './metrics.ts'

/** The ports of a run that are remembered. Those of dropped effects are forgotten beyond it. */
const MOST_PORTS = 1000

/** Counts the effects of all runs of this process as they settle, by port and outcome. */
export function countEffects(reflex: Reflex, { effects }: Pick<ServeMetrics, 'effects'>): void {
  reflex.onOpen((run) => {
    const ports = new Map<Ref, string>()
    const remember = (): void => {
      for (const { id, port } of run.state.pendingEffects()) ports.set(id, port)
    }
    remember()
    run.observe(({ n, record: { input, requests }, frame }) => {
      if (input?.[0] === 'ok' || input?.[0] === 'err') {
        const port = ports.get(input[1])
        ports.delete(input[1])
        if (port !== undefined) effects.add(1, { port, outcome: input[0] === 'ok' ? 'done' : 'failed' })
      }
      if (requests === undefined) return
      if (ports.size > MOST_PORTS) {
        ports.clear()
        remember()
      } else for (const { id, port, record } of frame.pendingEffects) if (record === n) ports.set(id, port)
    })
  })
}
