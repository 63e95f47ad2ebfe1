// proves: skill 164, skill 165, skill 166
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/index.ts'
import { type MiningReport, minePatterns } from '../../src/learn/mine/mine.ts'
import type { MinedPattern } from '../../src/learn/mine/pattern.ts'
import { fitRow, plainArguments, renderStep } from '../../src/learn/mine/verify.ts'
import { logged, type LoggedCall, type LoggedFacts, stored, toolFacts } from './logged.ts'

const NAMES = ['pay-stg', 'web-stg', 'api-prod', 'shop-dev', 'mail-dev', 'auth-stg', 'cart-prod'] as const
const NEIGHBOURS = ['u', 'v', 'w', 'x', 'y'] as const

interface Case {
  readonly calls: readonly LoggedCall[]
  readonly facts?: LoggedFacts
}

/** Mines one pattern from runs whose calls depend on their number. */
async function mine(make: (i: number, name: string) => Case, runs = 24): Promise<MiningReport> {
  const read = Array.from({ length: runs }, (_, i) => {
    const { calls, facts } = make(i, `${NAMES[i % 7]}${i}`)
    return logged(`run${i}`, [{ tool: NEIGHBOURS[i % 5] ?? '' }, ...calls, { tool: NEIGHBOURS[(i + 2) % 5] ?? '' }], facts)
  })
  return minePatterns(stored(read), { tools: toolFacts })
}

const exec = (cmd: string, result: Json = { code: 0 }): LoggedCall => ({ tool: 'term.exec', args: { cmd }, result })

/** Returns the only pattern, after every row of it was rendered again. */
function only({ patterns, counts }: MiningReport): MinedPattern {
  const [pattern, ...more] = patterns
  if (pattern === undefined || more.length > 0) throw new Error(`${patterns.length} patterns: ${JSON.stringify(counts)}`)
  for (const { row } of [...pattern.evidence, ...pattern.heldBack]) {
    const fit = fitRow(pattern.template, row)
    if (fit.kind !== 'fits') throw new Error(fit.kind)
    for (const [step, args] of row.args.entries()) expect(renderStep(pattern.template, step, row, fit.slots)).toEqual(args)
  }
  return pattern
}

const slotsOf = ({ slots }: MinedPattern): readonly string[] =>
  slots.map(({ name, type, origin, path }) => [name, type, origin, ...(path === undefined ? [] : [path])].join(' '))

describe('the rules of a mined pattern', () => {
  it('render every occurrence as it was recorded, with one slot for equal values', async () => {
    const report = await mine((i, name) => ({
      calls: [
        exec(`az webapp config container set --name ${name} --image acr.io/app:${i}`),
        exec(`az webapp restart --name ${name}`),
        exec(`curl -sSf https://${name}.azurewebsites.net/healthz`),
      ],
      facts: { text: `deploy acr.io/app:${i} to ${name}` },
    }))
    const pattern = only(report)
    expect(slotsOf(pattern)).toEqual(['name string user_text', 'image image_ref user_text'])
    expect(pattern.slots[0]?.pattern).toBe('[a-z0-9-]{4,22}')
    expect(pattern).toMatchObject({ training: 19, exceptions: 0, success: 1 })
    const [row] = pattern.heldBack
    expect(plainArguments(row?.row.args[2] ?? null)).toMatchObject({
      cmd: ['curl', '-sSf', `https://${JSON.stringify(row?.slots[0] ?? '').slice(1, -1)}.azurewebsites.net/healthz`],
    })
  })

  it('take a value from the result of an earlier step: the shortest path of the latest step', async () => {
    const report = await mine((i, name) => ({
      calls: [
        { tool: 'find', args: { name }, result: { data: { user: { id: `u${i}` } }, id: `u${i}` } },
        { tool: 'orders', args: { user: `u${i}` }, result: { orders: [{ number: 100 + i }], owner: `u${i}` } },
        { tool: 'refund', args: { order: 100 + i, user: `u${i}`, note: `for u${i}` }, result: 'ok' },
      ],
      facts: { text: `refund ${name}` },
    }))
    const { template, slots } = only(report)
    expect(slots.map(({ name }) => name)).toEqual(['name'])
    const source = (place: number): unknown => template.rules[template.places.findIndex((_, i) => i === place)]
    expect(template.places.map(({ path }) => path.join('.'))).toEqual(['name', 'user', 'note', 'order', 'user'])
    expect(source(1)).toMatchObject([{ kind: 'result', step: 0, path: ['id'] }])
    expect(source(2)).toMatchObject([{ text: 'for ' }, { kind: 'result' }])
    expect(source(3)).toMatchObject([{ kind: 'result', step: 1, path: ['orders', 0, 'number'] }])
    expect(source(4)).toMatchObject([{ kind: 'result', step: 0, path: ['id'] }])
  })

  it('reads the result of a step that is a text of JSON', async () => {
    const report = await mine((i, name) => ({
      calls: [
        { tool: 'find', args: { name }, result: JSON.stringify({ user: { id: `u${i}` } }) },
        { tool: 'open', args: { user: `u${i}` } },
      ],
      facts: { text: name },
    }))
    expect(only(report).template.rules[1]).toEqual([{ kind: 'result', step: 0, path: ['user', 'id'], isParsed: true }])
  })

  it('prefer the blackboard to the text, and leave what nothing explains to the caller', async () => {
    const report = await mine((i, name) => ({
      calls: [
        { tool: 'deploy', args: { app: name, plan: ['basic', 'shared', 'premium'][i % 3] ?? '', count: i % 4, fixed: 'yes' } },
        { tool: 'check', args: { app: name } },
      ],
      facts: { text: `deploy ${name}`, board: { 'ctx.app': name, 'ctx.other': name.length } },
    }))
    const pattern = only(report)
    expect(slotsOf(pattern)).toEqual(['app string board ctx.app', 'count integer opaque', 'plan string opaque'])
    expect(pattern.slots[2]?.suggested).toBeUndefined()
    expect(pattern.template.places.some(({ path }) => path[0] === 'fixed')).toBe(false)
  })

  it('leave out occurrences for which a rule does not hold, and count them as failures', async () => {
    const make = (wrong: number) => (i: number, name: string) => ({
      calls: [
        { tool: 'find', args: { name }, result: { id: `u${i}` } },
        { tool: 'open', args: { user: i % 50 < wrong ? 'someone' : `u${i}` } },
      ],
      facts: { text: name },
    })
    const report = await mine(make(1), 150)
    expect(only(report)).toMatchObject({ success: expect.closeTo(0.98, 2) as number })
    expect((await mine(make(20), 150)).patterns.every(({ template }) => template.rules.flat().every(({ kind }) => kind !== 'result'))).toBe(
      true,
    )
  })

  it('never make a secret constant, and reject one inside another value', async () => {
    const whole = await mine((_, name) => ({
      calls: [
        { tool: 'login', args: { name, token: '‹secret 4f1c›', key: { $redacted: '00aa11bb' } } },
        { tool: 'open', args: { name, token: '‹secret 4f1c›' } },
      ],
      facts: { text: name },
    }))
    const pattern = only(whole)
    expect(slotsOf(pattern)).toEqual(['key secret_ref secret', 'name string user_text', 'token secret_ref secret'])
    expect(JSON.stringify(pattern.template.steps)).not.toMatch(/secret 4f1c|redacted/)
    const inside = await mine((_, name) => ({
      calls: [{ tool: 'login', args: { name } }, exec(`curl -H 'Authorization: Bearer ‹secret 4f1c›' https://a.example/${name}`)],
      facts: { text: name },
    }))
    expect(inside).toMatchObject({ patterns: [], counts: { secret_slot: 1 } })
  })

  it('reject what a model writes: long texts, and values that are always new', async () => {
    const prose = (i: number): string => Array.from({ length: 60 }, (_, k) => `w${(i * 31 + k * 7) % 97}`).join(' ')
    const long = await mine((i, name) => ({
      calls: [
        { tool: 'open', args: { name } },
        { tool: 'write', args: { text: prose(i) } },
      ],
      facts: { text: name },
    }))
    expect(long).toMatchObject({ patterns: [], counts: { generative_slot: 1 } })
    const fresh = await mine((i, name) => ({
      calls: [
        { tool: 'open', args: { name } },
        { tool: 'write', args: { text: `${(i * 7919) % 1000}` } },
      ],
      facts: { text: name },
    }))
    expect(fresh.rejected.find(({ reason }) => reason === 'generative_slot')).toMatchObject({ detail: 'text' })
  })

  it('keep words of a command apart, whatever is in them', async () => {
    const report = await mine((i, name) => ({
      calls: [exec(`git commit -m "fix ${name} ${i}; rm -rf {{x}}"`), { tool: 'command', args: { argv: ['git', 'push', '--tag', name] } }],
      facts: { text: `commit ${name} as ${i}` },
    }))
    const pattern = only(report)
    expect(pattern.template.places.map(({ step, path }) => `${step}/${path.join('/')}`)).toEqual(['0/cmd/$words/3', '1/argv/$words/3'])
    expect(pattern.slots.map(({ name }) => name)).toEqual(['tag', 'm'])
  })
})
