import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type Ended, start } from '../cli/worlds.ts'
import { type OpenAiServerOptions, type Reply, startOpenAi } from '../models/openai-server.ts'

const example = resolve(import.meta.dirname, '../../../../examples/02-refund')
const BY_HAND = 'examples/02-refund/by-hand/A-1042.jsonl'

let folder = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-refund-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'examples'))
  cpSync(example, join(folder, 'examples/02-refund'), { recursive: true })
})

const reflex = (words: readonly string[], environment: Record<string, string> = {}): Promise<Ended> =>
  start(words, { folder, environment }).ended

const refund = (order: string, ...more: string[]): readonly string[] => [
  'run',
  'examples/02-refund',
  '--input',
  `order_id=${order}`,
  ...more,
]

describe('example 02, a refund', () => {
  test('its program has nothing to find', async () => {
    const { code, out } = await reflex(['validate', 'examples/02-refund'])
    expect(out).not.toContain('R1')
    expect(code).toBe(0)
  })

  test('on replies written by hand: a choice among open ways, an approval, a receipt, a letter', async () => {
    const asked = await reflex(refund('A-1042', '--recorded', BY_HAND, '--answers', 'none'))
    expect(asked.code).toBe(75)
    expect(asked.err).toContain('replies from A-1042.jsonl')
    expect(asked.err).toContain('decide: a reply written by hand → full, because The parcel is lost')
    expect(asked.err).toContain('also open: part, decline')
    expect(asked.err).toContain('Refund €84 to ana?')

    const answered = await reflex(['answer', 'last', 'YES', '--json'])
    expect(answered.code).toBe(0)
    expect(JSON.parse(answered.out)).toHaveProperty('value.message', expect.stringContaining('Dear Ana'))
    const [run] = (JSON.parse((await reflex(['runs', '--json'])).out) as { runs: { id: string }[] }).runs
    expect(readFileSync(join(folder, '.reflex/runs', run?.id ?? '', 'refund.txt'), 'utf8')).toBe('A-1042: €84 to ana\n')

    const { screen } = await start(['trace', 'last', '-v'], { folder, columns: 80 }).ended
    expect(screen).toContain('closed: escalate, order.total >= 200')
    expect(screen).toContain('saw order, identity')
    expect(screen).toContain('◂ + identity = "confirmed"')
  })

  test.each([
    ['A-1043', 'escalate', 'full'],
    ['A-1044', 'decline', 'part'],
  ])('order %s takes %s, and never hears of %s', async (order, taken, closed) => {
    const { code, err } = await reflex(refund(order, '--recorded', `examples/02-refund/by-hand/${order}.jsonl`))
    expect(code).toBe(0)
    expect(err).toContain(`decide: a reply written by hand → ${taken}`)
    expect((await start(['trace', 'last'], { folder, columns: 80 }).ended).screen).toContain(`closed: ${closed}, `)
  })

  test('without a model it stops at the choice, says how to configure one, and goes on with one', async () => {
    const stopped = await reflex(refund('A-1042'))
    expect(stopped.code).toBe(75)
    expect(stopped.err).toContain('R4001')
    expect(stopped.err).toContain('--model provider:name')

    expect(stopped.err).toMatch(/continue\s+reflex resume \S+ --model PROVIDER:NAME/)
    const { environment, server } = await model({ object: { edge: 'NONE', because: 'It came in time.' } })
    const { REFLEX_MODEL, ...address } = environment
    const resumed = await reflex(['resume', 'last', '--model', REFLEX_MODEL], address)
    expect(resumed.code).toBe(0)
    expect(resumed.err).toContain('decide: llama3 → decline, because It came in time.')
    expect(server.problems).toEqual([])
  })

  test('against a model server: what is closed is never offered, and what it takes is told', async () => {
    const { environment, server } = await model({ object: { edge: 'ESCALATE', because: 'It is worth €310.' } })
    const { code, err } = await reflex(refund('A-1043'), environment)
    expect(code).toBe(0)
    expect(err).toMatch(/decide: llama3 → escalate, because It is worth €310\. {2}[\d,]+ tok {2}unpriced {2}also open: part, decline/)
    const [request] = server.requests
    const prompt = JSON.stringify(request?.body)
    expect(prompt).toContain('- ESCALATE: leads to \\"escalate\\", hand the case to a colleague who may pay more')
    expect(prompt).not.toContain('FULL')
    expect(server.problems).toEqual([])
  })

  test('a model that insists on a closed way is asked once more, then refused', async () => {
    const { environment, server } = await model(...Array.from({ length: 2 }, () => ({ object: { edge: 'FULL', because: 'I say so.' } })))
    const { code, err } = await reflex(refund('A-1044'), environment)
    expect(code).toBe(75)
    expect(err).toContain('R4015')
    expect(server.requests).toHaveLength(2)
  })

  test('a recording of the replies stands in for the server, which is gone', async () => {
    const { environment, close } = await model({ object: { edge: 'ESCALATE', because: 'New here.' } })
    expect((await reflex(refund('A-1044', '--record', 'ben.replies.jsonl'), environment)).code).toBe(0)
    await close()
    const again = await reflex(refund('A-1044', '--recorded', 'ben.replies.jsonl'))
    expect(again.code).toBe(0)
    expect(again.err).toContain('decide: llama3 → escalate, because New here.')
  })

  test('an input that does not fit is refused before anything begins', async () => {
    const { code, err } = await reflex(refund('1042'))
    expect(code).toBe(2)
    expect(err).toContain('order_id')
    const missing = await reflex(['run', 'examples/02-refund'])
    expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('refund requires the input "order_id"') as string })
    const misspelt = await reflex(['run', 'examples/02-refund', '--input', 'orderid=A-1042'])
    expect(misspelt.err).toContain('write order_id instead of orderid')
    expect((await reflex(['runs', '--json'])).out).toContain('"runs": []')
  })
})

async function model(...replies: readonly Reply[]) {
  const options: OpenAiServerOptions = { key: 'sk-local-12345678' }
  const server = await startOpenAi(options)
  server.reply(...replies)
  let open = true
  const close = async (): Promise<void> => {
    if (open) await server.close()
    open = false
  }
  onTestFinished(close)
  return { server, close, environment: { REFLEX_BASE_URL: server.url, REFLEX_MODEL: 'llama3', REFLEX_API_KEY: 'sk-local-12345678' } }
}
