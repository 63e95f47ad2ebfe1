import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { lifeIn, newFolder } from '../../../app/folders.ts'
import { READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'

/** What a server does with a request: the status of its answer, or something worse. */
type Mood = number | 'drops' | 'stalls' | 'floods' | 'trickles'

const FLOOD = Buffer.alloc(1_000_000, 'x')

/** Runs the thermostat over its readings, with three intents to a server that has these moods, one for each request, then accepts. */
async function runWith(moods: readonly Mood[], route: JsonObject = {}) {
  const got: { readonly key: string; readonly intent: JsonObject }[] = []
  const left = [...moods]
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      got.push({ key: String(request.headers['idempotency-key']), intent: JSON.parse(text) as JsonObject })
      answer(left.shift() ?? 202, request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const folder = newFolder()
  const write = (name: string, content: unknown): string => {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
    return join(folder, name)
  }
  const graph = write('thermostat.dataflow.json', THERMOSTAT)
  write('thermostat.adapter.json', THERMOSTAT_ADAPTER)
  write('thermostat.host.json', {
    kind: 'host',
    channels: { hvac: { type: 'http', url: `http://127.0.0.1:${port}/heater` } },
    routes: { heater_command: { channel: 'hvac', ...route } },
  })
  const source = write('readings.jsonl', READINGS.map((event) => JSON.stringify(event)).join('\n'))
  const policy = [{ allow: ['arbor://net/127.0.0.1'], deny: [], file: 'policy.json' }]
  const run = await lifeIn(folder, { dataflow: { primitives: [setHeater] }, policy }).run(graph, { dataflow: { source } })
  return { run, keys: got.map(({ key }) => key), got }
}

function answer(mood: Mood, { socket }: IncomingMessage, response: ServerResponse): void {
  if (typeof mood === 'number') response.writeHead(mood).end()
  else if (mood === 'drops') socket.destroy()
  else if (mood === 'floods') {
    response.writeHead(200)
    const more = (): void => {
      while (!response.destroyed && response.write(FLOOD));
      response.once('drain', more)
    }
    more()
  } else if (mood === 'trickles') {
    response.writeHead(200)
    response.write('x')
  }
}

describe('a server that takes intents', () => {
  test('gets each intent once, with its id as the key', async () => {
    const { run, keys, got } = await runWith([])
    expect(run.value).toMatchObject({ sent: { heater_command: 3 } })
    expect(got.map(({ intent }) => intent.intent_id)).toEqual(keys)
    expect(new Set(keys).size).toBe(3)
  })

  test.each([400, 404, 409, 499])('that answers %i has refused it: the run fails, and no further intent is sent', async (status) => {
    const { run, keys } = await runWith([status])
    expect(run.failure).toMatchObject({ code: 'R1386' })
    expect(keys).toHaveLength(1)
  })

  test.each<Mood>([500, 503, 304, 'drops'])('that does %s leaves the outcome unknown: the run fails', async (mood) => {
    const { run, keys } = await runWith([mood])
    expect(run.failure).toMatchObject({ code: 'R1385' })
    expect(keys).toHaveLength(1)
  })

  test.each<Mood>(['stalls', 'trickles', 'floods'])('that %s is given up after its time', async (mood) => {
    const { run, keys } = await runWith([mood], { ack_timeout: '200ms' })
    if (mood === 'floods') expect(['R1385', undefined]).toContain(run.failure?.code)
    else expect(run.failure).toMatchObject({ code: 'R1385' })
    expect(keys.length).toBeGreaterThanOrEqual(1)
  })

  test.each<Mood>([500, 'drops'])('that is keyed and does %s gets the same intent once more', async (mood) => {
    const { run, keys } = await runWith([mood], { keyed: true })
    expect(run.value).toMatchObject({ sent: { heater_command: 3 } })
    expect(keys[1]).toBe(keys[0])
    expect(keys).toHaveLength(4)
  })

  test('that fails twice in a row fails the run, also if it is keyed', async () => {
    const { run, keys } = await runWith([500, 503], { keyed: true })
    expect(run.failure).toMatchObject({ code: 'R1385' })
    expect(keys).toHaveLength(2)
  })
})
