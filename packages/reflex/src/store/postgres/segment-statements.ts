type Name =
  | 'segments'
  | 'segmentsIn'
  | 'segmentsNumbered'
  | 'lastSegments'
  | 'segmentBodies'
  | 'lastVersion'
  | 'pack'
  | 'forget'
  | 'parents'
  | 'sealedRuns'

/** Returns the statements about sealed segments. `current` is the condition of every writing statement. */
export function segmentStatements(at: string, current: string): Readonly<Record<Name, string>> {
  const columns = 'number, first, last, version, chain, parent, archive, needs, crc, sum'
  return {
    segments: `select ${columns} from ${at}.segment where run = $1 order by number`,
    // The segments with the records from one to another, and the one before. Both ends are found by the index.
    segmentsIn: `select ${columns} from ${at}.segment where run = $1
      and last >= coalesce((select max(last) from ${at}.segment where run = $1 and last < $2), $2)
      and last <= coalesce((select min(last) from ${at}.segment where run = $1 and last >= $3), $3) order by number`,
    // The segment with this number, the one before, and the last one.
    segmentsNumbered: `select ${columns} from ${at}.segment
      where run = $1 and number = any(array[$2::bigint - 1, $2::bigint, (select max(number) from ${at}.segment where run = $1)]) order by number`,
    lastSegments: `select distinct on (run) run, ${columns} from ${at}.segment where run = any($1) order by run, number desc`,
    segmentBodies: `select number, encode(body, 'base64') as body from ${at}.segment where run = $1 and number = any($2) and body is not null`,
    lastVersion: `select version from ${at}.journal where run = $1 order by first desc limit 1`,
    // Nothing is written if the segment is no longer the one that was read.
    pack: `with packed as (
        update ${at}.segment set parent = $4, needs = $5, crc = $6, sum = $7, body = decode($8, 'base64')
        where run = $1 and number = $2 and sum = $3 and body is null and ${current} returning run, number, first, last
      ), marked as (
        insert into ${at}.journal (run, first, count, version, sum, body, moved)
        select 0, 0, coalesce(max(journal.moved), 0), 0, 0, '', null from ${at}.journal join packed on journal.run = packed.run
          and journal.first between packed.first and packed.last having count(*) > 0
        on conflict (run, first) do update set count = greatest(journal.count, excluded.count)
      ), records as (
        delete from ${at}.journal using packed where journal.run = packed.run and journal.first between packed.first and packed.last
      ), snapshots as (
        delete from ${at}.snapshot using packed where snapshot.run = packed.run and at >= packed.first and at < packed.last
      )
      select number from packed`,
    forget: `with gone as (
        update ${at}.segment set archive = $2, needs = null, crc = null, sum = given.sum, body = null
        from unnest($3::bigint[], $4::bigint[], $5::bigint[]) as given (number, before, sum)
        where segment.run = $1 and segment.number = given.number and segment.sum = given.before and ${current} returning segment.run, last
      )
      delete from ${at}.snapshot using (select run, max(last) as last from gone group by run) as ended
      where snapshot.run = ended.run and at < ended.last`,
    parents: `select run.id, parent from ${at}.segment join ${at}.run on run.seq = segment.run where parent is not null`,
    sealedRuns: `select distinct run from ${at}.segment where run = any($1)`,
  }
}
