import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { reflex, type WorldOptions, workFolder } from './worlds.ts'

const NAME = 'orders.look_up@1.0.0'

function world(columns?: number): WorldOptions {
  return { folder: workFolder(), ...(columns === undefined ? {} : { columns }) }
}

/** Changes a file of a folder. */
function edit({ folder }: WorldOptions, file: string, from: string, to: string): void {
  const path = join(folder, file)
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
}

async function approved(options: WorldOptions): Promise<void> {
  expect((await reflex(['skill', 'test', 'look-up.skill.json'], options)).code).toBe(0)
  expect((await reflex(['skill', 'approve', NAME, '--by', 'ana'], options)).code).toBe(0)
}

test('a skill is tested, approved, listed, shown and evicted (skill 184)', async () => {
  const options = world()
  expect(await reflex(['skill'], options)).toMatchObject({ code: 0, out: '' })
  const tested = await reflex(['skill', 'test', 'look-up.skill.json', '--junit', 'report.xml'], options)
  expect(tested).toMatchObject({ code: 0 })
  expect(tested.out).toContain('1 of 1 unit cases')
  expect(tested.err).toContain(`reflex skill approve ${NAME} --by NAME`)
  expect(readFileSync(join(options.folder, 'report.xml'), 'utf8')).toContain('tests="21" failures="0"')
  expect((await reflex(['skill', 'list'], options)).out).toBe(`${NAME}\ttested\t\tpassed\t\n`)
  expect((await reflex(['skill', 'approve', NAME, '--by', 'ana'], options)).err).toContain(`approved  ${NAME}  gets 100 % of the calls`)
  expect((await reflex(['skill', 'show', 'orders.look_up'], { ...options, columns: 100 })).screen).toContain(
    'passed: 1 of 1 unit cases, 20 of 20 mutated cases, every attack was stopped',
  )
  expect((await reflex(['skill', 'evict', NAME], options)).err).toContain('reflex skill evict --deprecate')
  expect((await reflex(['skill', 'evict', NAME, '--deprecate', '--reason', 'nobody needs it'], options)).err).toContain('deprecated')
  expect((await reflex(['skill', 'evict', NAME], options)).err).toContain('evicted')
  expect((await reflex(['skill', 'list'], options)).out).toBe(`${NAME}\tevicted\t\tpassed\t\n`)
})

test('a stored skill is tested again with the cases that were kept with it', async () => {
  const options = world()
  await reflex(['skill', 'test', 'look-up.skill.json'], options)
  edit(options, 'look-up.case.json', '"status": "ok"', '"status": "failed"')
  expect((await reflex(['skill', 'test', 'orders.look_up'], options)).code).toBe(0)
  const failed = await reflex(['skill', 'test', 'look-up.skill.json'], options)
  expect(failed).toMatchObject({ code: 1 })
  expect(failed.out).toContain('reads an order: status is "ok", expected "failed"')
  expect((await reflex(['skill', 'approve', NAME, '--by', 'ana'], options)).err).toContain('has failed its tests')
})

test('the figures of skills are counted from the runs', async () => {
  const options = world()
  await approved(options)
  await reflex(['run', 'skill:orders.look_up', '-i', 'path=order.json'], options)
  await reflex(['run', 'skill:orders.look_up', '-i', 'path=nothing.json'], options)
  const { out, code } = await reflex(['skill', 'stats', '--json'], options)
  expect(code).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    skills: [{ skill: 'orders.look_up', calls: 2, success_rate: 0.5, fallback_rate: 0, failure_streak: 1 }],
    system: { learned_skills: 0, active_skills: 1, evictions: 0, ci_failures: 0, precision_at_1: 0.5, clarify_rate: 0, policy_denies: 0 },
  })
  expect((await reflex(['skill', 'stats'], { ...options, columns: 100 })).screen).toMatch(/orders\.look_up@1\.0\.0 +2 +50 %/)
  expect((await reflex(['skill', 'stats', 'orders.look_up'], options)).err).toContain('reflex skill show orders.look_up')
})

test('an approved skill runs, and other programs call it, without its file', async () => {
  const options = world()
  await approved(options)
  edit(options, 'look-up.skill.json', '"orders.look_up"', '"orders.other"')
  const run = await reflex(['run', 'skill:orders.look_up', '-i', 'path=order.json', '--json'], options)
  expect(run).toMatchObject({ code: 0 })
  expect(run.out).toContain('content')
  const caller = {
    id: 'caller',
    entry: 'a',
    nodes: { a: { id: 'a', spec: {}, invokes: { workflowId: 'skill:orders.look_up', returnMap: [] } } },
    edges: [],
  }
  writeFileSync(join(options.folder, 'caller.workflow.json'), JSON.stringify(caller))
  const called = await reflex(['run', 'caller.workflow.json', '--answers', 'none', '--json'], options)
  // The workflow gives no path: the gate of the stored skill asks for it.
  expect({ code: called.code, err: called.err }).toEqual({ code: 75, err: '' })
  expect(called.out).toContain('path')
})

test('a file with the version of an approved skill and another text needs an approval of its own', async () => {
  const options = world()
  await approved(options)
  edit(options, 'look-up.skill.json', 'Reads an order.', 'Reads another order.')
  const run = await reflex(['run', 'look-up.skill.json', '-i', 'path=order.json'], options)
  expect(run.code).toBe(1)
  expect(run.err).toContain('state.draft')
  expect(run.err.replaceAll(/\s+/g, ' ')).toContain(
    'reflex skill approve orders.look_up@1.0.0 --by NAME; or try the draft: reflex run FILE --draft',
  )
  expect((await reflex(['skill', 'test', 'look-up.skill.json'], options)).err).toContain('R1490')
})

test('the first mistakes of a stranger have a fix that can be typed', async () => {
  const options = world()
  const errorOf = async (...argv: string[]): Promise<string> => {
    const { out, err } = await reflex(argv, options)
    return `${out} ${err}`.replaceAll(/\s+/g, ' ')
  }
  expect(await errorOf('skill', 'test')).toContain('reflex skill test FILE')
  expect(await errorOf('skill', 'approve', 'orders.look_up@1.0.0', '--by', 'ana')).toContain('reflex skill test FILE tests the file')
  edit(options, 'look-up.skill.json', '"tool": "file.read"', '"tool": "shop.read"')
  const unknown = await errorOf('skill', 'validate', 'look-up.skill.json')
  expect(unknown).toContain('the plan may change something, because this host has no tool "shop.read": it cannot be undone')
  expect(unknown).toContain('give the tools with --tools FILE')
  edit(options, 'look-up.skill.json', '"type": "path"', '"type": "string", "pattern": "A-[0-9]+"')
  edit(options, 'look-up.skill.json', '"tool": "shop.read"', '"tool": "file.read"')
  expect(await errorOf('run', 'look-up.skill.json', '--draft', '-i', 'path=B-1')).toContain(
    'a value of the type string that matches A-[0-9]+',
  )
})

test('why shows each stage of a decision', async () => {
  const options = world(100)
  await approved(options)
  await reflex(['run', 'skill:orders.look_up', '-i', 'path=order.json', '--id', 'swift-5g7z'], options)
  const { screen, code } = await reflex(['skill', 'why', 'orders.look_up', '--run', 'swift'], options)
  expect(code).toBe(0)
  expect(screen).toMatch(/orders\.look_up@1\.0\.0 {2}called by a program in swift-5g7z@\d+, approved/)
  expect(screen).toMatch(/compat +ok +the skill states none/)
  expect(screen).toMatch(/preconditions +ok +1 of 1 tools, path/)
  expect(screen).toMatch(/score +not asked: a program calls/)
})

test('why shows the number that would have passed', async () => {
  const options = world(100)
  await approved(options)
  const host = new Reflex({ store: join(options.folder, '.reflex/reflex.db'), workdir: options.folder })
  const program = await host.library.named('skill:orders.look_up', options.folder)
  const run = await host.runtime.start(program, {
    id: 'swift-5g7z',
    // What a wrapped agent says of a proposal of its model.
    args: { path: 'order.json', _proposal: { carrier: 'text', user_text: 'please help' } },
    settings: { actor: 'ana', simulated: false, trust: 'trusted', workdir: options.folder, folder: join(options.folder, 'run') },
  })
  await run.idle()
  await host.close()
  const { screen, code } = await reflex(['skill', 'why', 'orders.look_up', '--run', 'swift'], options)
  expect(code).toBe(0)
  expect(screen).toMatch(/proposed by the model in swift-5g7z@\d+, not carried out: below_tau/)
  expect(screen).toMatch(/score +no +0\.00 of 1\.00 = 0\.000, needs 0\.850 \(project τ\)/)
  expect(screen).toContain('One keyword hit (“order”) would make it 1.00 = 1.000 and pass.')
})

test('the bulletin has the active skills that fit', async () => {
  const options = world()
  expect((await reflex(['bulletin', 'preview', '--user', 'look up order A-1'], options)).err).toContain('no skill fits')
  await approved(options)
  expect((await reflex(['bulletin', 'preview', '--user', 'look up order A-1'], options)).out).toContain('orders.look_up')
})

describe('a command about skills is refused', () => {
  test.each<[string, readonly string[], string, string]>([
    ['with an unknown action', ['skill', 'tset'], 'R2031', 'reflex skill test'],
    ['without a skill', ['skill', 'show'], 'R2031', 'reflex skill show ID'],
    ['for a skill that is missing', ['skill', 'show', 'orders.x'], 'R1493', 'reflex skill list'],
    ['without a version', ['skill', 'approve', 'orders.look_up', '--by', 'ana'], 'R2031', `reflex skill approve ${NAME} --by NAME`],
    ['without a person', ['skill', 'approve', NAME], 'R2031', '--by NAME'],
    ['for an untested skill', ['skill', 'approve', 'orders.untested@1.0.0', '--by', 'ana'], 'R1493', 'reflex skill list'],
    ['with a share that is none', ['skill', 'approve', NAME, '--by', 'ana', '--share', '2'], 'R2031', '--share 0.1'],
    ['without a run', ['skill', 'why', 'orders.look_up'], 'R2031', '--run RUN'],
    ['for a file that is missing', ['skill', 'test', 'x.skill.json'], 'R2031', 'there is no file x.skill.json'],
    ['for a skill without calls', ['skill', 'promote', NAME], 'R2031', `reflex skill approve ${NAME} --by NAME`],
    ['with another word', ['bulletin', 'show'], 'R2031', 'reflex bulletin preview --user TEXT'],
    ['without a text', ['bulletin', 'preview'], 'R2031', '--user'],
  ])('%s', async (_, argv, code, part) => {
    const options = world()
    await reflex(['skill', 'test', 'look-up.skill.json'], options)
    const { err, out, code: exit } = await reflex(argv, options)
    expect(out).toBe('')
    expect([1, 2]).toContain(exit)
    expect(err).toContain(code)
    expect(err).toContain(part)
  })

  test('with a case that is missing', async () => {
    const options = world()
    edit(options, 'look-up.skill.json', 'look-up.case.json', 'other.case.json')
    expect((await reflex(['skill', 'test', 'look-up.skill.json'], options)).err).toContain('R1495')
  })
})
