import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { channelWorld } from './world.ts'
import { reason, withoutCommands } from '../commands.ts'

const IDS = [
  'eid1:sha256:2e29020229421795d11c2a8aa8babc668c4063d2bd5689d7e9db9121c6d78e29',
  'eid1:sha256:b32c3ae577f3d3b01692f831ba1fdd9903aa09ab45ef7daa2333bec29391a33d',
  'eid1:sha256:140d6afa710d17ea8894812e42b02c13b7f73377ff0d1c900a44653bcee93ffb',
]

describe.skipIf(withoutCommands !== undefined)(`a process that takes intents${reason}`, () => {
  // proves: dataflow 39
  // proves: dataflow 43
  // The ids of intents are hashes over the ids of the graph and of the event.
  // proves: dataflow RTHANDLE-META-1
  test('gets each intent of a file of events once, in order, with the ids of the reference, and then the end', async () => {
    const { reflex, graph, events, got } = channelWorld()
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.status).toBe('completed')
    expect(run.value).toEqual({ events: 6, refused: 0, failed: 0, sent: { heater_command: 3 } })
    await reflex.close()
    expect(got()).toEqual([
      { type: 'intent', intent_id: IDS[0], kind: 'heater_command', fields: { on: true, zone: 'hall' } },
      { type: 'intent', intent_id: IDS[1], kind: 'heater_command', fields: { on: false, zone: 'hall' } },
      { type: 'intent', intent_id: IDS[2], kind: 'heater_command', fields: { on: true, zone: 'hall' } },
      { type: 'end' },
    ])
  })

  // proves: dataflow 45
  test('gets nothing in a replay and in a simulated run', async () => {
    const { reflex, graph, events, got } = channelWorld()
    const run = await reflex.run(graph, { dataflow: { source: events } })
    const { length } = got().filter(({ type }) => type === 'intent')
    expect(await reflex.replay(run.id)).toMatchObject({ result: 'equal' })
    const simulated = await reflex.run(graph, { dataflow: { source: events }, simulate: true })
    expect(simulated.value).toMatchObject({ sent: { heater_command: 3 } })
    expect(got().filter(({ type }) => type === 'intent')).toHaveLength(length)
  })

  // proves: dataflow 46, dataflow HST-3
  test('gets nothing of passes that were aborted or deferred', async () => {
    const { reflex, graph, events, got } = channelWorld({ host: { constraints: { deadline: '0s' } } })
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ events: 6, sent: {} })
    await reflex.close()
    expect(got()).toEqual([{ type: 'end' }])
    const deferred = channelWorld({ host: { constraints: { max_per_window: 1, rate_window: '1h' } } })
    const waiting = await deferred.reflex.run(deferred.graph, { dataflow: { source: deferred.events } })
    expect(waiting.value).toMatchObject({ sent: {} })
    await deferred.reflex.close()
    expect(deferred.got()).toEqual([{ type: 'end' }])
  })

  // proves: dataflow 66
  test.each([
    ['other', 'R1383', 'egress_protocol_violation'],
    ['noise', 'R1383', 'egress_protocol_violation'],
    ['die', 'R1385', 'egress_io'],
    ['flood', 'R1385', 'egress_io'],
    ['chatter', 'R1383', 'egress_protocol_violation'],
  ])('that does %s fails the run with %s: no further intent is sent', async (mood, code, rule) => {
    const { reflex, graph, events, got } = channelWorld({ moods: mood })
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.status).toBe('failed')
    expect(run.failure).toMatchObject({ code, rule })
    await reflex.close()
    expect(got().filter(({ type }) => type === 'intent')).toHaveLength(1)
  })

  test.each(['twice', 'unsent'])(
    'that acknowledges %s gets no further intent: a line that answers nothing breaks the protocol',
    async (mood) => {
      const { reflex, graph, events, got } = channelWorld({ moods: mood })
      const run = await reflex.run(graph, { dataflow: { source: events } })
      expect(run.failure).toMatchObject({ code: 'R1383', rule: 'egress_protocol_violation' })
      await reflex.close()
      expect(got().filter(({ type }) => type === 'intent')).toHaveLength(1)
    },
  )

  test('that is keyed and acknowledges twice is restarted before the next intent: each is accepted', async () => {
    const { reflex, graph, events, got } = channelWorld({ moods: 'twice', route: { keyed: true } })
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ sent: { heater_command: 3 } })
    await reflex.close()
    expect(got().flatMap(({ type, intent_id: id }) => (type === 'intent' ? [id] : []))).toEqual(IDS)
  })

  test('that does not acknowledge in time fails the run with R1384', async () => {
    const { reflex, graph, events } = channelWorld({ moods: 'silent', route: { ack_timeout: '50ms' } })
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.failure).toMatchObject({ code: 'R1384', rule: 'egress_ack_timeout' })
  })

  test('that is keyed is restarted and gets the same intent once more', async () => {
    const { reflex, graph, events, got } = channelWorld({ moods: 'die', route: { keyed: true } })
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.value).toMatchObject({ sent: { heater_command: 3 } })
    await reflex.close()
    expect(
      got()
        .filter(({ type }) => type === 'intent')
        .map(({ intent_id: id }) => id),
    ).toEqual([IDS[0], IDS[0], IDS[1], IDS[2]])
  })

  test('that does not handle a routed kind fails the run before its first event', async () => {
    const { reflex, graph, events } = channelWorld({ kinds: ['light_command'] })
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.failure).toMatchObject({ code: 'R1382' })
    expect(run.failure?.message).toContain('heater_command')
  })

  test('that fails at once fails the run with its error, not with the last line of its interpreter', async () => {
    const { reflex, graph, events, folder } = channelWorld()
    writeFileSync(join(folder, 'channel.mjs'), "throw new Error('no display')")
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.failure).toMatchObject({ code: 'R1382', message: expect.stringContaining('exit 1, Error: no display') as string })
  })

  test('that fails asks a person if its route says so, and the run continues with the answer', async () => {
    const { reflex, graph, events, got } = channelWorld({ moods: 'die', route: { on_failure: 'ask' } })
    const run = await reflex.run(graph, { dataflow: { source: events } })
    expect(run.status).toBe('suspended')
    expect(run.questions[0]?.question.text).toContain('heater_command was not acknowledged')
    const { handle } = await reflex.answer(run.questions[0]?.id ?? '', 'again')
    await handle?.idle({ until: 'end' })
    expect(handle?.value).toMatchObject({ sent: { heater_command: 3 } })
    await reflex.close()
    expect(
      got()
        .filter(({ type }) => type === 'intent')
        .map(({ intent_id: id }) => id),
    ).toEqual([IDS[0], IDS[0], IDS[1], IDS[2]])
  })
})

describe.skipIf(withoutCommands !== undefined)(`a channel that cannot start${reason}`, () => {
  const failure = async (command: readonly string[]): Promise<{ folder: string; failure: unknown }> => {
    const { reflex, graph, events, folder } = channelWorld({ host: { channels: { hvac: { type: 'process', command } } } })
    const run = await reflex.run(graph, { trust: 'trusted', dataflow: { source: events } })
    return { folder, failure: run.failure }
  }

  test('because its file is missing names the whole path, and what to correct', async () => {
    const { folder, failure: found } = await failure(['node', 'scripts/chanel.mjs'])
    expect(found).toMatchObject({
      code: 'R1382',
      message: `channel hvac is not ready: there is no file ${folder}/scripts/chanel.mjs`,
      fix: `correct "scripts/chanel.mjs" in the command: a path is from the work folder ${folder}, or absolute`,
    })
  })

  test('because of an error quotes the line that names it, and not the last one', async () => {
    const { failure: found } = await failure(['node', '-e', 'throw new RangeError("the port is taken")'])
    expect(found).toMatchObject({ code: 'R1382', message: expect.stringContaining('exit 1, RangeError: the port is taken') as unknown })
  })

  test('because its command does not exist says so', async () => {
    const { failure: found } = await failure(['no-such-command'])
    expect(JSON.stringify(found)).toMatch(/no-such-command/)
    expect(JSON.stringify(found)).toMatch(/not found|no such|there is no|ENOENT/i)
  })
})
