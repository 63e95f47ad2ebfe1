import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { confinedIn, folder, noSandbox, Sandbox, tools, use, write } from './workshop.ts'

const missing = await noSandbox()

/** A work folder with a repository, another one in it, a settings file, and a file beside it that no command may read. */
function ground(): { readonly work: Sandbox; readonly outside: Sandbox } {
  const work = new Sandbox(folder())
  mkdirSync(join(work.root, '.reflex/runs'), { recursive: true })
  write(join(work.root, '.reflex/.gitignore'), '*\n')
  work.commit('first', { a: 'one\n', b: 'one\n' })
  const outside = new Sandbox(folder())
  outside.commit('secret', { key: 'hunter2' })
  return { work, outside }
}

/** Returns the paths of everything that git or another program would run automatically, at any depth. */
function dangerous(root: string, at = ''): readonly string[] {
  return readdirSync(join(root, at), { withFileTypes: true }).flatMap((entry): readonly string[] => {
    const path = join(at, entry.name)
    if (path === '.git' || path === '.reflex') return []
    if (
      /^(\.git|\.reflex|\.envrc|\.husky|HEAD|commondir)$/i.test(entry.name) ||
      !(entry.isFile() || entry.isDirectory() || entry.isSymbolicLink())
    )
      return [path]
    const own = entry.isFile() && (lstatSync(join(root, path)).mode & 0o6000) !== 0 ? [path] : []
    return entry.isDirectory() ? [...own, ...dangerous(root, path)] : own
  })
}

const ATTACKS: readonly (readonly [how: string, command: string])[] = [
  ['a separate folder for a repository', 'git init -q --separate-git-dir=store sub; git --git-dir=store config core.fsmonitor ./evil'],
  ['GIT_DIR', 'GIT_DIR=$PWD/plain GIT_WORK_TREE=. git init -q; GIT_DIR=$PWD/plain git config core.bare true'],
  [
    'a working tree that is added',
    'git worktree add -q --detach wt; echo evil > .git/worktrees/wt/config.worktree; git config extensions.worktreeConfig true',
  ],
  ['a submodule', 'cp -r . /tmp/lib; git submodule add -q /tmp/lib sub; git config submodule.sub.update "!touch evil"; git commit -qm sub'],
  ['hard links', 'ln .git/config config2; ln config2 .git/evil; ln a .git/commondir; ln -f .git/HEAD HEAD'],
  [
    'packed references',
    'echo "# pack-refs with: peeled" > .git/packed-refs; echo "$(printf %040d 1) refs/heads/ghost" >> .git/packed-refs; echo "ref: refs/heads/main" > .git/refs/heads/sym',
  ],
  [
    'packed references by a link',
    'rm -f .git/packed-refs; ln -s $OUTSIDE/.git/refs/heads/main .git/packed-refs; ln -s $OUTSIDE/.git/refs/heads/main .git/refs/heads/stolen',
  ],
  ['a pipe as an index', 'rm .git/index; mkfifo .git/index .git/HEAD.x .git/ORIG_HEAD .git/objects/pack/pack-00.pack'],
  ['an index by a link', 'rm .git/index; ln -s $OUTSIDE/key .git/index'],
  ['an index with a forged path', 'cp .git/index /tmp/i; sed "s,a\\x00,x\\x00," /tmp/i > .git/index; printf "%s" x >> .git/index'],
  ['a sparse checkout', 'git sparse-checkout set --no-cone nothing; git update-index --skip-worktree a b'],
  ['a split index', 'git update-index --split-index; git update-index --untracked-cache; git update-index --fsmonitor'],
  ['no references at all', 'rm -rf .git/refs .git/packed-refs'],
  [
    'a deep folder',
    'p=$(printf "%0200d" 0); i=0; while [ $i -lt 30 ]; do mkdir $p && cd $p; i=$((i+1)); done; mkdir .git; echo x > .envrc',
  ],
  ['many folders', 'i=0; while [ $i -lt 300 ]; do mkdir -p d$i/e; : > d$i/e/.envrc; i=$((i+1)); done'],
  ['names with line ends and escapes', 'd=$(printf "x\\n\\033[31my"); mkdir "$d"; git init -q "$d"; git branch "$d" 2>/dev/null || true'],
  [
    'a branch that a shell would run',
    'git branch "\\$(touch evil)"; git tag "a;b"; git branch -- "--evil" 2>/dev/null; git symbolic-ref HEAD "refs/heads/\\`evil\\`"',
  ],
  [
    'filters',
    'git config filter.x.clean evil; git config filter.x.smudge evil; echo "* filter=x" > .gitattributes; git add .gitattributes',
  ],
  ['includes of settings', 'echo "[include] path = ../evil" >> .git/config; echo "[core] fsmonitor = evil" > evil'],
  [
    'objects of another repository by links',
    'for o in $OUTSIDE/.git/objects/??; do ln -s $o .git/objects/; done; echo $OUTSIDE/.git/objects > .git/objects/info/alternates',
  ],
  ['a clean-up in the background', '(setsid sh -c "sleep 0.2; git init -q late; echo x > .envrc" >/dev/null 2>&1 &) ; true'],
  ['closed folders on the way', 'mkdir -p x/y; git init -q x/y; chmod 500 x/y; chmod 100 x; mkdir z; : > z/.envrc; chmod 555 z'],
  ['owner bits in a closed folder', 'mkdir q; cp /bin/true q/t; chmod 6111 q/t; chmod 0 q'],
]

describe.skipIf(missing !== undefined)(
  `a command that wants to run on the host${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    it.each(ATTACKS)('by %s', async (_how, command) => {
      const { work, outside } = ground()
      const settings = (): unknown => [
        readdirSync(join(work.root, '.git')).filter((name) => name !== 'COMMIT_EDITMSG' && name !== 'index'),
        readFileSync(join(work.root, '.git/config'), 'utf8'),
        readdirSync(join(work.root, '.git/hooks')),
      ]
      const before = settings()
      const as =
        'export HOME=/tmp; git config --global user.name A; git config --global user.email a@b; git config --global protocol.file.allow always; '
      await use(
        'shell',
        { command: `${as} OUTSIDE=${outside.root}; { ${command}; } >/dev/null 2>&1; true`, timeout: 300_000 },
        confinedIn(work.root),
        tools(),
      )
      expect(dangerous(work.root)).toEqual([])
      expect(settings()).toEqual(before)
      expect(work.git('branch', '--format=%(refname)')).toBe('refs/heads/main\n')
      expect(work.git('fsck')).not.toMatch(/error|missing|bad/)
      expect(() => work.git('cat-file', '-e', outside.git('rev-parse', 'HEAD').trim())).toThrow()
      writeFileSync(join(work.root, 'a'), 'changed\n')
      expect(work.git('status', '--porcelain', 'a')).toMatch(/ a\n/)
      expect(existsSync(join(work.root, 'evil')) && readFileSync(join(work.root, 'evil'), 'utf8') === '').toBe(false)
    })
  },
)
