import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Json, JsonObject, Port, Repeat, Run } from '../../../../src/kernel/index.ts'
import type { BatchRequest } from '../../../../src/kinds/dataflow/run/file-batch.ts'
import { graphKind } from '../../../../src/kinds/dataflow/run/kind.ts'
import { openSqlite } from '../../../../src/store/index.ts'
import { PAGE_BYTES } from '../../../../src/store/schema.ts'
import { worldOf } from '../../../kernel/world.ts'
import { folder } from '../../../store/processes.ts'
import { READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'

const [HEADER, FRAME] = [32, 24 + PAGE_BYTES]
const RUN = 'otter-2m9q'
/** Enough events for many commits, and few enough for the log to hold all of them. */
const EVENTS: readonly Json[] = Array.from({ length: 8 }, (_, round) =>
  READINGS.map((event, i) => ({ ...event, event_id: `t${round}-${i}`, at: round * READINGS.length + i + 1 })),
).flat()
const SOURCE: JsonObject = { from: 'file', name: 'events.jsonl', file: 'events.jsonl' }

/** What a channel outside has taken, and the size of the log at that moment. */
interface Sent {
  readonly intent: string
  readonly log: number
}

function argsOf(keyed: boolean): JsonObject {
  const route = { channel: 'out', ack_timeout: 1000, keyed, on_failure: 'fail' }
  const channels = { out: { type: 'process', command: ['hvac'] } }
  return { _stays: true, _host: { dedupe: 'segment', constraints: {}, channels, routes: { heater_command: route } }, _sources: [SOURCE] }
}

/** A graph over a store, with a channel that notes what it takes. */
function graphOver(file: string, repeat: Repeat) {
  const store = openSqlite(file)
  onTestFinished(async () => store.close())
  const sent: Sent[] = []
  const egress: Port = {
    leaves: true,
    repeat,
    traits: ({ args }) => ({ leaves: true, repeat: (args as JsonObject)['do'] === 'open' ? 'keyed' : repeat }),
    perform({ args }) {
      const { do: what, intent } = args as unknown as { readonly do: string; readonly intent?: { readonly intent_id: string } }
      if (what === 'open') return { status: 'ready' }
      sent.push({ intent: intent?.intent_id ?? '', log: statSync(`${file}-wal`).size })
      return { status: 'accepted', acceptance: 'durable' }
    },
  }
  const ingress: Port = {
    leaves: false,
    repeat: 'free',
    perform({ args }) {
      const { name, at } = args as unknown as BatchRequest
      // Four events at a time, so that the store commits often.
      const end = Math.min(EVENTS.length, at[2] + 4)
      return { source: name, at, events: EVENTS.slice(at[2], end), to: [end, end], ...(end < EVENTS.length ? {} : { isEnd: true }) }
    },
  }
  const { runtime } = worldOf([graphKind({ primitives: [setHeater] })], { store, ports: { egress, ingress } })
  const program = runtime.programs.add('dataflow', 'thermostat', { graph: THERMOSTAT, adapter: THERMOSTAT_ADAPTER })
  return { runtime, program, store, sent }
}

/** Runs a graph to its end, and returns what it sent and the files as each power cut leaves them. */
async function cutsOf(repeat: Repeat) {
  const file = join(folder(), 'reflex.db')
  const { runtime, program, sent } = graphOver(file, repeat)
  const run = await runtime.start(program, { id: RUN, args: argsOf(repeat === 'keyed') })
  await run.idle()
  expect(run.state.ended?.status).toBe('done')
  const log = readFileSync(`${file}-wal`)
  const frames = Math.floor((log.length - HEADER) / FRAME)
  const sizes = Array.from({ length: 24 }, (_, i) => HEADER + Math.ceil((frames * i) / 23) * FRAME)
  // A cut at the moment at which something was sent is the hardest.
  const cuts = [...new Set([...sizes, ...sent.map(({ log: size }) => size)])]
  return {
    sent,
    ended: run.state.ended,
    cuts: cuts.map((size) => {
      const left = join(folder(), 'reflex.db')
      copyFileSync(file, left)
      writeFileSync(`${left}-wal`, log.subarray(0, size))
      return { left, before: sent.filter((one) => one.log <= size).map(({ intent }) => intent) }
    }),
  }
}

async function resumed(left: string, repeat: Repeat): Promise<{ readonly run: Run | undefined; readonly after: readonly string[] }> {
  const { runtime, sent, store } = graphOver(left, repeat)
  const last = (await store.read(RUN, 0))?.row.last ?? 0
  const isEnded = (await store.read(RUN, 0))?.row.status === 'completed'
  if (last === 0 || isEnded) return { run: undefined, after: [] }
  const run = await runtime.resume(RUN)
  await run.idle()
  return { run, after: sent.map(({ intent }) => intent) }
}

describe('a power cut while a graph sends intents', { timeout: 120_000 }, () => {
  test('repeats an intent only under its own id where the channel is keyed, and loses none', async () => {
    const { sent, cuts, ended } = await cutsOf('keyed')
    const all = sent.map(({ intent }) => intent)
    expect(new Set(all).size).toBe(all.length)
    expect(all.length).toBeGreaterThan(10)
    for (const { left, before } of cuts) {
      const { run, after } = await resumed(left, 'keyed')
      if (run === undefined) expect([0, all.length]).toContain(before.length)
      else expect([[...new Set([...before, ...after])], run.state.ended]).toEqual([all, ended])
    }
  })

  test('repeats no intent where the channel is not keyed: a person is asked about the one in flight', async () => {
    const { sent, cuts } = await cutsOf('ask')
    const all = sent.map(({ intent }) => intent)
    let asked = 0
    for (const { left, before } of cuts) {
      const { run, after } = await resumed(left, 'ask')
      if (run === undefined) continue
      expect(before.filter((intent) => after.includes(intent))).toEqual([])
      const isAsked = [...run.state.waits.values()].some(({ asker }) => asker === 'outcome')
      if (isAsked) asked++
      else expect([...before, ...after]).toEqual(all)
    }
    expect(asked).toBeGreaterThan(0)
  })
})
