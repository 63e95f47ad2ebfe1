import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { virtualHost } from '../../../../src/testing/index.ts'
import { newFolder } from '../../../app/folders.ts'
import { start } from '../../../cli/worlds.ts'
import { READINGS, setHeater, THERMOSTAT, THERMOSTAT_ADAPTER } from '../run/graphs.ts'
import { reason, withoutCommands } from '../commands.ts'

/** A channel that takes an intent and says nothing. */
const SILENT = `
process.stdout.write(JSON.stringify({ type: 'ready', protocol: 'reflex-egress.v1', handled_kinds: ['heater_command'] }) + '\\n')
process.stdin.resume()
`

test.skipIf(withoutCommands !== undefined)(`while a graph runs, the last line counts its events and not its nodes${reason}`, async () => {
  const folder = newFolder()
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  write('thermostat.dataflow.json', JSON.stringify(THERMOSTAT))
  write('thermostat.adapter.json', JSON.stringify(THERMOSTAT_ADAPTER))
  write('set_heater.primitive.json', JSON.stringify(setHeater.manifest))
  write('silent.mjs', SILENT)
  const host = {
    channels: { hvac: { type: 'process', command: ['node', 'silent.mjs'] } },
    routes: { heater_command: { channel: 'hvac', ack_timeout: '10h' } },
  }
  write('thermostat.host.json', JSON.stringify({ kind: 'host', ...host }))
  write('events.jsonl', READINGS.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const clock = virtualHost({ seed: 1 })
  const command = start(['run', 'thermostat.dataflow.json', '--events', 'events.jsonl', '--id', 'otter'], {
    folder,
    columns: 100,
    host: clock,
  })
  // The line is drawn again as time passes.
  const redraws = setInterval(() => void clock.advance(200), 20)
  onTestFinished(() => clearInterval(redraws))
  await command.shows('2 events, 1 to be acknowledged · ctrl-c leaves it resumable')
  expect(command.screen()).not.toContain('stages')
  command.interrupt('SIGINT')
  expect((await command.ended).code).not.toBe(0)
})
