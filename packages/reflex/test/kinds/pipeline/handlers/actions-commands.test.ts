import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderText } from '../../../../src/kinds/pipeline/language/render.ts'
import { act, runNodes, withoutCommands, workFolder } from './session-world.ts'

function repository(): string {
  const workdir = workFolder()
  const git = (...words: string[]): string => execFileSync('git', ['-C', workdir, ...words], { encoding: 'utf8' })
  git('init', '--quiet', '--initial-branch=main')
  git('config', 'user.email', 'ada@example.test')
  git('config', 'user.name', 'Ada')
  writeFileSync(join(workdir, 'a.txt'), 'one')
  git('add', '.')
  git('commit', '--quiet', '-m', 'first')
  return workdir
}

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }

describe.skipIf(withoutCommands !== undefined)(
  `actions that run commands${withoutCommands === undefined ? '' : ` (skipped: ${withoutCommands})`}`,
  () => {
    // proves: pipeline 13d
    it('run the text of a command that the author wrote, and no other', async () => {
      const went = await runNodes(act('shell_run', 'param.command="echo out; echo err >&2; exit 3"'))
      expect(went.context).toMatchObject({
        'exec.a.exit_code': 3,
        'exec.a.stdout': 'out\n',
        'exec.a.stderr': 'err\n',
        'exec.a.success': false,
      })
      const other = await runNodes(act('shell_run', 'context_keys=command'), { initial_values: { command: 'touch pwned' } })
      expect(other.failure_reason).toContain('only the author')
    })

    // proves: pipeline 13g, pipeline 4.5m
    it('run tests: red ones are a result, a runner that is not there is none', async () => {
      const workdir = workFolder()
      writeFileSync(join(workdir, 'Makefile'), 'test:\n\t@echo "1 failed"; exit 1\n')
      const red = await runNodes(act('mix_test', 'output_prefix=tests'), { workdir, env })
      expect(red.status).toBe('success')
      expect(red.context).toMatchObject({ 'exec.a.passed': false, 'tests.passed': false, 'exec.a.command': 'make test' })
      expect(red.context['exec.a.output']).toContain('1 failed')
      const green = await runNodes(act('run_tests', 'param.command="true"'), { workdir, env })
      expect(green.context).toMatchObject({ 'exec.a.passed': true, 'exec.a.exit_code': 0 })
      expect((await runNodes(act('run_tests'), { env })).failure_reason).toContain('no command')
      expect((await runNodes(act('run_tests', 'param.command="no-such-runner-here"'), { env })).status).toBe('fail')
    })

    // proves: pipeline 13m
    it('push a branch to its remote and open a pull request for it', async () => {
      const workdir = repository()
      const remote = join(workFolder(), 'remote.git')
      execFileSync('git', ['init', '--quiet', '--bare', '--initial-branch=main', remote])
      execFileSync('git', ['-C', workdir, 'remote', 'add', 'origin', `file://${remote}`])
      execFileSync('git', ['-C', workdir, 'switch', '--quiet', '-c', 'work/faster'])
      // In the place of the service: it has the words and the text of the request, and prints an address.
      const bin = workFolder()
      writeFileSync(
        join(bin, 'gh'),
        `#!/bin/sh\nprintf '%s\\n' "$@" > '${bin}/words'\ncat > '${bin}/body'\necho https://example.test/team/app/pull/42\n`,
        { mode: 0o755 },
      )
      const ends = act('git_pr', 'param.title="--fast", param.base=main, param.draft=true, context_keys=body, sandbox=none')
      const world = {
        workdir,
        trust: 'autonomous' as const,
        env: { PATH: `${bin}:${env.PATH}` },
        initial_values: { body: 'It is $(faster)' },
      }
      const went = await runNodes(ends, world)
      expect([went.failure_reason, went.context]).toMatchObject([
        null,
        {
          'exec.a.url': 'https://example.test/team/app/pull/42',
          'exec.a.number': 42,
          'exec.a.branch': 'work/faster',
          'exec.a.draft': true,
        },
      ])
      const git = (folder: string, ...words: string[]): string => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' }).trim()
      expect(git(remote, 'rev-parse', 'work/faster')).toBe(git(workdir, 'rev-parse', 'HEAD'))
      expect(readFileSync(join(bin, 'words'), 'utf8').trim().split('\n')).toEqual([
        'pr',
        'create',
        '--title=--fast',
        '--body-file=-',
        '--head=work/faster',
        '--base=main',
        '--draft',
      ])
      expect(readFileSync(join(bin, 'body'), 'utf8')).toBe('It is $(faster)')
      execFileSync('git', ['-C', workdir, 'remote', 'set-url', 'origin', `file://${remote}.gone`])
      expect((await runNodes(ends, world)).failure_reason).toContain('git push exited with code')
    })

    // proves: pipeline 13e
    it('make a branch and commit what has changed; nothing to commit is a result', async () => {
      const workdir = repository()
      writeFileSync(join(workdir, 'b.txt'), 'two')
      const went = await runNodes(
        `b [type=exec, target=action, action=git_branch, context_keys=branch_name]
       c [type=exec, target=action, action=git_commit, context_keys=commit_message]
       again [type=exec, target=action, action=git_commit, param.message=more]
       start -> b -> c -> again -> done`,
        { workdir, env, initial_values: { branch_name: 'fix/one', commit_message: 'Add "b"; $(touch pwned)' } },
      )
      expect(went.context).toMatchObject({
        'exec.b.branch': 'fix/one',
        'exec.b.created': true,
        'exec.c.committed': true,
        'exec.again.committed': false,
      })
      const log = execFileSync('git', ['-C', workdir, 'log', '-1', '--format=%H %D %s'], { encoding: 'utf8' })
      expect(log).toBe(`${renderText(went.context['exec.c.commit'])} HEAD -> fix/one Add "b"; $(touch pwned)\n`)
      expect(existsSync(join(workdir, 'pwned'))).toBe(false)
    })

    it('never take a name for an option', async () => {
      const workdir = repository()
      const branch = async (name: string) =>
        (await runNodes(act('git_branch', 'context_keys=branch'), { workdir, env, initial_values: { branch: name } })).failure_reason
      for (const name of ['--orphan', 'a..b', 'a b', '']) expect(await branch(name)).toMatch(/branch/)
    })
  },
)
