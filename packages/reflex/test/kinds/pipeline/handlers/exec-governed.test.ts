import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fixedSettings, isObject, type JsonObject, Runtime, systemHost } from '../../../../src/kernel/index.ts'
import { pipelineWithTools } from '../../../../src/kinds/pipeline/face/assemble.ts'
import { createPolicy, type Trust } from '../../../../src/policy/index.ts'
import { createTools, type ToolsSettings } from '../../../../src/tools/index.ts'
import { noSandbox } from '../../../tools/workshop.ts'
import { settingsWith } from '../../../policy/settings.ts'

const missing = await noSandbox()

/** A work folder beside a folder that is nobody's business; both are gone after the test. */
function place(): { readonly work: string; readonly outside: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-pipeline-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const [work, outside] = [join(root, 'work'), join(root, 'outside')]
  for (const folder of [work, outside]) mkdirSync(folder)
  writeFileSync(join(outside, 'secret'), 'hunter2')
  return { work, outside }
}

/** Runs a pipeline with real tools under a real policy; its context, and why it failed. */
async function govern(
  nodes: string,
  workdir: string,
  {
    trust = 'probationary',
    allow = [],
    values = {},
    ...settings
  }: { trust?: Trust; allow?: string[]; values?: JsonObject } & Partial<ToolsSettings> = {},
): Promise<{ readonly status: string; readonly context: JsonObject; readonly reason: string }> {
  const dot = `digraph g { start [shape=Mdiamond] done [shape=Msquare] ${nodes} }`
  const policy = createPolicy({ grants: [{ file: 'p.json', allow, deny: [] }] })
  const tools = createTools({ environment: { PATH: '/usr/local/bin:/usr/bin:/bin' }, host: systemHost, ...settings })
  const { kind, ports } = pipelineWithTools({ policy, tools })
  const of = fixedSettings((run) => settingsWith({ trust, workdir, folder: join(workdir, '.reflex/runs', run) }))
  const runtime = new Runtime({ kinds: [kind], ports, policy, settings: of, host: systemHost })
  const run = await runtime.start(runtime.programs.add('pipeline', 'g', { dot }, {}), { args: values })
  await run.idle()
  const { ended, root } = run.state
  const value = isObject(ended?.value) ? ended.value : {}
  return {
    status: ended?.status ?? run.status,
    context: root.reader().snapshot(),
    reason: typeof value['message'] === 'string' ? value['message'] : '',
  }
}

const shell = (command: string, more = ''): string => `a [type=shell, command=${JSON.stringify(command)}${more}] start -> a -> done`

describe.skipIf(missing !== undefined)(`a command of a pipeline${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
  it('works in the work folder and keeps to it, whatever its program says', async () => {
    const { work, outside } = place()
    const command = `cat ${outside}/secret; touch ${outside}/new; echo made > made.txt`
    for (const more of ['', ', sandbox=none', ', sandbox=basic']) {
      const went = await govern(shell(command, more), work)
      expect(went.status).toBe('done')
      expect(went.context).toMatchObject({ 'shell.a.output': '', 'shell.a.exit_code': 0 })
    }
    expect(readFileSync(join(work, 'made.txt'), 'utf8')).toBe('made\n')
    expect(existsSync(join(outside, 'new'))).toBe(false)
  })

  it('never becomes another one by a value', async () => {
    const { work } = place()
    const went = await govern(shell('echo "$title"; echo ${title:-none} > /dev/null'), work, {
      values: { title: '$(touch pwned); touch pwned' },
    })
    expect(went.context).toMatchObject({ 'shell.a.output': '$(touch pwned); touch pwned\n' })
    expect(existsSync(join(work, 'pwned'))).toBe(false)
  })

  // proves: pipeline 4.5h
  it('says how it went by the file of its stage', async () => {
    const { work } = place()
    const went = await govern(
      shell(`echo '{"status":"success","context_updates":{"found":3}}' > $ARBOR_STAGE_DIR/status.json; exit 1`),
      work,
    )
    expect([went.status, went.context['found'], went.context['shell.a.exit_code']]).toEqual(['done', 3, 1])
  })
})

describe('the rights of a pipeline', () => {
  // proves: pipeline 5.2e
  it('an untrusted one runs no command', async () => {
    const { work } = place()
    const went = await govern(shell('touch ran'), work, { trust: 'untrusted' })
    expect(went.reason).toContain('arbor://shell/exec is not granted')
    expect(existsSync(join(work, 'ran'))).toBe(false)
  })

  // proves: pipeline s6.8a, pipeline 2.6.31
  it('without a sandbox to be had only a trusted one runs commands', async () => {
    const { work, outside } = place()
    const settings = { bubblewrap: [] }
    const kept = await govern(shell(`touch ${outside}/new`), work, settings)
    expect(kept.reason).toContain('bubblewrap is not installed')
    expect(existsSync(join(outside, 'new'))).toBe(false)
    const trusted = await govern(shell(`touch ${outside}/new`, ', sandbox=none'), work, { ...settings, trust: 'trusted' })
    expect([trusted.status, existsSync(join(outside, 'new'))]).toEqual(['done', true])
  })

  // proves: pipeline 4.7a, pipeline 4.8a
  it('reads and writes below the work folder and nowhere else, also through links', async () => {
    const { work, outside } = place()
    symlinkSync(outside, join(work, 'link'))
    const write = (path: string): string => `a [type="file.write", content_key=v, output=${JSON.stringify(path)}] start -> a -> done`
    const read = (path: string): string => `a [type=read, path=${JSON.stringify(path)}] start -> a -> done`
    const values = { v: 'x' }
    expect((await govern(write('deep/new/a.txt'), work, { values })).context['file.written.a']).toBe(join(work, 'deep/new/a.txt'))
    expect((await govern(read('deep/new/a.txt'), work)).context['last_response']).toBe('x')
    for (const nodes of [write('../outside/a'), write('link/a'), write(join(outside, 'a')), write('.reflex/reflex.db')])
      expect((await govern(nodes, work, { values })).status, nodes).toBe('failed')
    for (const nodes of [read('../outside/secret'), read('link/secret'), read(join(outside, 'secret'))])
      expect((await govern(nodes, work)).status, nodes).toBe('failed')
    expect(existsSync(join(outside, 'a'))).toBe(false)
    const key = 'a [type=read, source=file, source_key=where] start -> a -> done'
    expect((await govern(key, work, { values: { where: join(outside, 'secret') } })).status).toBe('failed')
    expect((await govern(key, work, { values: { where: 'deep/new/a.txt' } })).status).toBe('done')
  })

  // proves: pipeline 4.7b
  it('reaches the hosts that are granted', async () => {
    const { work } = place()
    const nodes = 'a [type=read, source=api, url="http://127.0.0.1:9/x"] start -> a -> done'
    expect((await govern(nodes, work, { trust: 'autonomous' })).reason).toContain('arbor://net/127.0.0.1 is not granted')
    expect((await govern(nodes, work, { allow: ['arbor://net/*'] })).reason).toContain('not a public address')
    expect((await govern(nodes, work, { allow: ['arbor://net/127.0.0.1'] })).reason).toContain('ECONNREFUSED')
  })
})
