import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/kernel/index.ts'
import type { ToolCall } from '../../src/tools/index.ts'
import { callIn, containing, folder, refusal, tools, use, write } from './workshop.ts'

function sh(command: string, call: ToolCall, more: Record<string, Json> = {}): Promise<JsonObject> {
  return use('shell', { command, sandbox: 'none', ...more }, call) as Promise<JsonObject>
}

describe('shell', () => {
  it('runs the text of a command', async () => {
    expect(await sh('printf "%s" "$(echo a | tr a b)" && exit 3', callIn(folder()))).toEqual({ code: 3, stdout: 'b', stderr: '' })
    expect(await refusal(() => sh('  ', callIn(folder())))).toMatchObject({ code: 'R4101' })
  })

  it('passes values as variables, and none becomes part of the text', async () => {
    const work = folder()
    const value = '"; touch pwned; $(touch pwned) `touch pwned` \'\n'
    const result = await sh('printf "%s" "$title"; echo $title >/dev/null', callIn(work), { environment: { title: value, n: 3, on: true } })
    expect(result).toMatchObject({ code: 0, stdout: value })
    expect(existsSync(join(work, 'pwned'))).toBe(false)
    expect(await sh('echo $n $on', callIn(work), { environment: { n: 3, on: true } })).toMatchObject({ stdout: '3 true\n' })
  })

  const steering = 'PATH HOME LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES IFS ENV BASH_ENV SHELLOPTS PS4 NODE_OPTIONS'
  const others =
    'PYTHONPATH PYTHONSTARTUP GIT_SSH_COMMAND GIT_DIR https_proxy ALL_PROXY PERL5LIB npm_config_registry ld_preload a-b 1a BASH_FUNC_ls%% ä'
  const more =
    'MAKEFILES TAR_OPTIONS LUA_INIT_5_4 VIMINIT RIPGREP_CONFIG_PATH GOFLAGS RSYNC_RSH AWS_CONFIG_FILE DOTNET_STARTUP_HOOKS pip_index_url'
  it.each([...`${steering} ${others} ${more}`.split(' '), '', 'a b'])('refuses a variable called %j', async (name) => {
    expect(await refusal(() => sh('true', callIn(folder()), { environment: { [name]: 'x' } }))).toMatchObject({
      code: 'R4101',
      message: containing('none that controls programs'),
    })
  })

  it('refuses a value that a variable cannot have', async () => {
    for (const value of ['x'.repeat(32_769), 'a\0b', ['x'], null])
      expect(await refusal(() => sh('true', callIn(folder()), { environment: { x: value } }))).toMatchObject({ code: 'R4101' })
    expect(await sh('printf %s "$x" | wc -c', callIn(folder()), { environment: { x: 'x'.repeat(32_768) } })).toMatchObject({
      stdout: containing('32768'),
    })
  })

  it('describes what it did on one line', async () => {
    const prepared = tools().prepare('shell', { command: '\necho one\necho two', sandbox: 'none' })
    expect(prepared.says(await prepared.run(callIn(folder())))).toBe('echo one → exit 0')
    expect(prepared.traits({ workdir: '/w', runFolder: '/w/r' })).toMatchObject({
      leaves: true,
      repeat: 'ask',
      needs: ['arbor://tool/shell', 'arbor://shell/exec'],
    })
  })
})

describe('the folder of a stage', () => {
  it('is created, and the command gets its path', async () => {
    const call = callIn(folder())
    const stage = join(call.runFolder, 'build')
    const result = await sh('echo $ARBOR_STAGE_DIR; echo $ATTRACTOR_STAGE_DIR; echo x > $ARBOR_STAGE_DIR/note', call, { stage })
    expect(result).toEqual({ code: 0, stdout: `${stage}\n${stage}\n`, stderr: '' })
    expect(readFileSync(join(stage, 'note'), 'utf8')).toBe('x\n')
  })

  it('returns the status of this command and not of an earlier one', async () => {
    const call = callIn(folder())
    write(join(call.runFolder, 'build/status.json'), '{"status":"fail"}')
    expect(await sh('test ! -e $ARBOR_STAGE_DIR/status.json', call, { stage: 'build' })).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await sh('echo \'{"status":"success"}\' > $ARBOR_STAGE_DIR/status.json; exit 1', call, { stage: 'build' })).toMatchObject({
      code: 1,
      status_file: '{"status":"success"}\n',
    })
  })

  it('ignores a status that leads outside', async () => {
    const work = folder()
    const call = callIn(join(work, 'project'))
    mkdirSync(call.workdir)
    const secret = write(join(work, 'secret.json'), '{"status":"success","notes":"hunter2"}')
    expect(await sh(`ln -s ${secret} $ARBOR_STAGE_DIR/status.json`, call, { stage: 'build' })).toMatchObject({ code: 0, status_file: '' })
    expect(await sh('mkdir $ARBOR_STAGE_DIR/status.json', call, { stage: 'other' })).toMatchObject({ status_file: '' })
    expect(await sh('head -c 2000000 /dev/zero > $ARBOR_STAGE_DIR/status.json', call, { stage: 'large' })).toMatchObject({
      status_file: '',
    })
  })

  it('must be in a folder that the run may write', async () => {
    const work = folder()
    const call = callIn(join(work, 'project'))
    mkdirSync(call.runFolder, { recursive: true })
    symlinkSync(work, join(call.runFolder, 'link'))
    for (const stage of ['../../../..', work, 'link', 'link/new'])
      expect(await refusal(() => sh('true', call, { stage })), stage).toMatchObject({ code: 'R4105' })
    expect(existsSync(join(work, 'new'))).toBe(false)
  })
})

it.each([
  ['a link', (outside: string) => `ln -s ${outside} $ARBOR_STAGE_DIR/stdout.txt`],
  ['a folder', () => 'mkdir -p $ARBOR_STAGE_DIR/stdout.txt/inner; touch $ARBOR_STAGE_DIR/stdout.txt/inner/file'],
])(
  'all of an output that is longer than its limit is a file in the folder of the stage, without secrets, where the command put %s',
  async (_, puts) => {
    const call = callIn(folder())
    const outside = join(folder(), 'theirs')
    writeFileSync(outside, 'theirs')
    const all = tools({ redact: (text: string) => text.replaceAll('hunter2', '‹secret›') })
    const command = `${puts(outside)}; printf 'a hunter2 b'`
    const args = { command, stage: 'build', whole: true, limit: 3, sandbox: 'none' }
    const result = (await use('shell', args, call, all)) as { stdout: string; kept: { stdout: { path: string; bytes: number } } }
    expect([result.stdout, result.kept.stdout.bytes]).toEqual(['a h', 16])
    expect(readFileSync(result.kept.stdout.path, 'utf8')).toBe('a ‹secret› b')
    expect(readFileSync(outside, 'utf8')).toBe('theirs')
  },
)
