import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import type { Reflex } from '../../../../src/app/reflex.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'

/** A process that takes intents and writes what it got into `got.jsonl`. `mood`: what it does wrong, once for each entry of `moods.txt`. */
const CHANNEL = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
const moods = existsSync('moods.txt') ? readFileSync('moods.txt', 'utf8').split(' ').filter(Boolean) : []
const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n')
const next = () => { const mood = moods.shift(); writeFileSync('moods.txt', moods.join(' ')); return mood }
const kinds = process.argv.slice(2)
say({ type: 'ready', protocol: 'reflex-egress.v1', handled_kinds: kinds })
for await (const line of createInterface({ input: process.stdin })) {
  const frame = JSON.parse(line)
  appendFileSync('got.jsonl', line + '\\n')
  if (frame.type === 'end') break
  const mood = next()
  if (mood === 'silent') continue
  if (mood === 'die') process.exit(3)
  if (mood === 'noise') { process.stdout.write('hello\\n'); continue }
  if (mood === 'flood') { process.stdout.write('x'.repeat(3_000_000)); continue }
  if (mood === 'chatter') for (let i = 0; i < 100_000; i++) say({ type: 'log', i })
  const ack = { type: 'intent_ack', intent_id: frame.intent_id, status: 'accepted', acceptance: 'durable' }
  if (mood === 'twice') process.stdout.write(JSON.stringify(ack) + '\\n' + JSON.stringify(ack) + '\\n')
  if (mood === 'unsent') process.stdout.write(JSON.stringify(ack) + '\\n' + JSON.stringify({ ...ack, intent_id: 'eid1:sha256:0' }) + '\\n')
  if (mood === 'twice' || mood === 'unsent') continue
  say({ type: 'intent_ack', intent_id: mood === 'other' ? 'x' : frame.intent_id, status: 'accepted', acceptance: 'durable', egress_ref: 'r1' })
}
`

export interface ChannelWorld {
  readonly folder: string
  readonly reflex: Reflex
  readonly graph: string
  readonly events: string
  /** The frames that the channel got. */
  readonly got: () => JsonObject[]
}

/** A folder with the thermostat, its adapter, a channel and the readings of the reference. */
export function channelWorld({
  route = {},
  moods = '',
  kinds = ['heater_command'],
  host = {},
}: {
  readonly route?: JsonObject
  readonly moods?: string
  readonly kinds?: readonly string[]
  readonly host?: JsonObject
} = {}): ChannelWorld {
  const folder = newFolder()
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  write('channel.mjs', CHANNEL)
  write('moods.txt', moods)
  const graph = write('thermostat.dataflow.json', JSON.stringify(THERMOSTAT))
  write('thermostat.adapter.json', JSON.stringify(THERMOSTAT_ADAPTER))
  write(
    'thermostat.host.json',
    JSON.stringify({
      kind: 'host',
      channels: { hvac: { type: 'process', command: ['node', 'channel.mjs', ...kinds] } },
      routes: { heater_command: { channel: 'hvac', ...route } },
      ...host,
    }),
  )
  const events = write('readings.jsonl', READINGS.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return {
    folder,
    graph,
    events,
    reflex: lifeIn(folder, { dataflow: { primitives: [setHeater] } }),
    got: () => {
      const lines = readFileSync(join(folder, 'got.jsonl'), 'utf8').trim().split('\n')
      return lines.map((line) => JSON.parse(line) as JsonObject)
    },
  }
}
