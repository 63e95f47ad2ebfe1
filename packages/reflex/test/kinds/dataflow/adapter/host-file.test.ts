// proves: dataflow 53
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/kernel/index.ts'
import { readHostFile } from '../../../../src/kinds/dataflow/adapter/host-file.ts'
import { hostSchema } from '../../../../src/kinds/dataflow/adapter/host-schema.ts'
import { schemaIssues } from '../../../../src/text/json-schema/check.ts'

const HOST = {
  kind: 'host',
  default_ack_timeout: '5s',
  constraints: { max_per_window: 10, rate_window: '1m', deadline: '0s', max_retries: 2 },
  channels: {
    hvac: { type: 'process', command: ['./hvac', '--json'] },
    pager: { type: 'http', url: 'https://pager.example/intents', headers: { authorization: { env: 'PAGER_TOKEN' } } },
    approve: { type: 'program', start: 'workflow:approve@1.0.0', map: { order: 'id' }, ends_as: 'approved' },
    log: { type: 'ledger', ledger: 'orders' },
  },
  routes: {
    heater_command: { channel: 'hvac', ack_timeout: '250ms', keyed: true, on_failure: 'ask' },
    page: { channel: 'pager' },
    'program.start': { channel: 'approve' },
    order: { channel: 'log' },
  },
  ingress: { type: 'timer', every: '10m', semantic_kind: 'tick', field: 'ts' },
} as const

function messages(change: JsonObject): readonly string[] {
  return readHostFile(JSON.stringify({ ...HOST, ...change })).findings.map(({ code, message }) => `${code} ${message}`)
}

describe('a host file', () => {
  it('is read with its defaults, and durations in milliseconds', () => {
    expect(readHostFile(`// the operator's\n${JSON.stringify(HOST)}`)).toMatchObject({
      findings: [],
      host: {
        dedupe: 'segment',
        constraints: { max_per_window: 10, rate_window: 60_000, deadline: 0, max_retries: 2 },
        routes: {
          heater_command: { channel: 'hvac', ack_timeout: 250, keyed: true, on_failure: 'ask' },
          page: { channel: 'pager', ack_timeout: 5000, keyed: false, on_failure: 'fail' },
          'program.start': { channel: 'approve', ack_timeout: 5000, keyed: true, on_failure: 'fail' },
          order: { keyed: true },
        },
        ingress: { type: 'timer', every: 600_000, semantic_kind: 'tick', field: 'ts' },
      },
    })
    expect(readHostFile('{"kind":"host"}')).toEqual({
      findings: [],
      host: { dedupe: 'segment', constraints: {}, channels: {}, routes: {} },
    })
    expect(schemaIssues(hostSchema(), HOST)).toEqual([])
  })

  it.each<[change: JsonObject, found: readonly string[]]>([
    [
      { routes: { page: { channel: 'pagre' } }, channels: { pager: HOST.channels.pager } },
      ['R1356 the route of "page" leads to "pagre", which is not a channel'],
    ],
    [
      { routes: { x: { channel: 'constructor' } }, channels: {} },
      ['R1356 the route of "x" leads to "constructor", which is not a channel'],
    ],
    [{ constraints: { max_per_window: 0, rate_window: '1s' } }, ['R1356 max_per_window must be a whole number of at least 1']],
    [{ constraints: { max_in_flight: 0 } }, ['R1356 max_in_flight must be a whole number of at least 1']],
    [{ constraints: { max_per_window: 3 } }, ['R1356 max_per_window has no rate_window']],
    [{ constraints: { rate_window: '3s' } }, ['R1356 rate_window has no max_per_window']],
    [{ constraints: { max_per_window: 3, rate_window: '0s' } }, ['R1356 constraints.rate_window cannot be "0s"']],
    [{ default_ack_timeout: '0ms' }, ['R1356 default_ack_timeout cannot be "0ms"']],
    [{ default_ack_timeout: '9000h' }, ['R1356 default_ack_timeout cannot be "9000h"']],
    [{ default_ack_timeout: '1 day' }, ['R1015 default_ack_timeout: expects a duration such as "250ms", "5s", "10m" or "1h"']],
    [{ channels: { pager: { type: 'http', url: 'pager' } }, routes: {} }, ['R1356 channel "pager" has the url "pager"']],
    [{ channels: { pager: { type: 'program', start: 'approve' } }, routes: {} }, ['R1356 channel "pager" starts "approve"']],
    [{ channels: { pager: { type: 'ftp' } } }, ['R1014 channels.pager.type cannot be "ftp"']],
    [
      { channels: { pager: { type: 'process', command: [] } } },
      ['R1015 channels.pager.command: Too small: expected array to have >=1 items'],
    ],
    [{ chanels: {} }, ['R1011 no attribute "chanels"']],
    [{ dedupe: 'never' }, ['R1014 dedupe cannot be "never"']],
    [{ routes: {}, channels: { log: HOST.channels.log } }, ['R1358 no route leads to the channel "log"']],
  ])('is refused: %j', (change, found) => expect(messages(change)).toEqual(found))

  it('states the place, and what was meant', () => {
    const text = JSON.stringify({ ...HOST, routes: { page: { channel: 'pagr' } } }, null, 2)
    const [finding] = readHostFile(text, 'alerts.host.json').findings
    expect(finding).toMatchObject({ file: 'alerts.host.json', path: 'routes.page.channel', fix: 'write "pager"' })
    expect(finding?.frame).toContain('did you mean "pager"?')
    for (const wrong of ['', 'null', '[]', '{"kind":"adapter"}', '{"kind":"host","routes":[]}'])
      expect(readHostFile(wrong).findings.length).toBeGreaterThan(0)
  })
})
