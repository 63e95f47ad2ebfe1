import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, type TestContext } from 'vitest'
import { reflex, workFolder } from './worlds.ts'

/** A disk of one megabyte below a folder. Skips the test where none can be had. */
function smallDisk(folder: string, { skip }: TestContext): string {
  const path = join(folder, 'disk')
  mkdirSync(path)
  try {
    execFileSync('sh', ['-c', 'mount -t tmpfs -o size=1m tmpfs "$0"', path], { stdio: 'ignore' })
  } catch {
    skip('only root can mount a disk of one megabyte')
  }
  onTestFinished(() => void execFileSync('sh', ['-c', 'umount --lazy "$0"', path]))
  return path
}

/** Leaves no room. */
function fill(disk: string): void {
  execFileSync('sh', ['-c', 'cat /dev/zero > "$0" || true', join(disk, 'ballast')], { stdio: 'ignore' })
}

describe('a full disk', () => {
  test('stops the run, reports that its records are safe, and the run continues once there is space', async (context) => {
    const folder = workFolder()
    const disk = smallDisk(folder, context)
    const store = ['--store', join(disk, 'reflex.db')]
    expect((await reflex(['run', 'refund.workflow.json', '--id', 'otter', ...store], { folder })).code).toBe(75)
    writeFileSync(join(folder, 'note.txt'), 'x'.repeat(100_000))
    fill(disk)
    const full = await reflex(['run', 'refund.workflow.json', '--id', 'heron', '--input', 'note=@note.txt', ...store], { folder })
    expect(full).toMatchObject({
      code: 3,
      err: expect.stringMatching(
        /R5005 [^]*no room left for the store [^]*what was\s+recorded before is kept[^]*make room on its disk/,
      ) as string,
    })
    const answered = await reflex(['answer', 'otter', 'yes', ...store], { folder })
    if (answered.code !== 0) expect(answered).toMatchObject({ code: 3, err: expect.stringContaining('R5005') as string })
    rmSync(join(disk, 'ballast'))
    expect((await reflex(['show', 'otter', ...store], { folder })).out).toContain('otter')
    expect(await reflex(['resume', 'otter', '--answers', 'auto', ...store], { folder })).toMatchObject({
      code: answered.code === 0 ? 3 : 0,
    })
  })

  test('only affects the run folder of a pipeline, with a warning', async (context) => {
    const folder = workFolder()
    const disk = smallDisk(folder, context)
    writeFileSync(join(folder, 'a.dot'), 'digraph a { start [shape=Mdiamond]; done [shape=Msquare]; start -> done }')
    mkdirSync(join(disk, 'logs'))
    fill(disk)
    const ran = await reflex(['run', 'a.dot', '--id', 'otter', '--logs', join(disk, 'logs')], { folder })
    expect(ran).toMatchObject({
      code: 0,
      err: expect.stringMatching(/R2209 [^]*cannot be written[^]*make\s+room[^]*the journal\s+has\s+everything/) as string,
    })
    expect((await reflex(['trace', 'otter'], { folder })).code).toBe(0)
  })
})
