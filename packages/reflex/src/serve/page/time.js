const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000]

/**
 * Returns a duration of at most two units: `20 s`, `3 min`, `2 h 5 min`, `6 d`.
 * @param {number} ms
 */
export function duration(ms) {
  if (ms < MINUTE) return `${Math.round(ms / 1000)} s`
  const minutes = Math.round(ms / MINUTE)
  if (minutes < 60) return `${minutes} min`
  const [hours, days] = [Math.floor(minutes / 60), Math.floor(minutes / 1440)]
  if (days === 0) return withRest(`${hours} h`, minutes % 60, 'min')
  return days < 3 ? withRest(`${days} d`, hours % 24, 'h') : `${Math.round(minutes / 1440)} d`
}

/**
 * @param {string} text
 * @param {number} rest
 * @param {string} unit
 */
function withRest(text, rest, unit) {
  return rest === 0 ? text : `${text} ${rest} ${unit}`
}

/**
 * Returns the local time, with the date if it is not today: `14:02`, `20 Nov, 14:02`.
 * @param {string} time
 */
export function clock(time) {
  const date = new Date(time)
  const now = new Date()
  const isToday = date.toDateString() === now.toDateString()
  return new Intl.DateTimeFormat('en-GB', {
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
    ...(date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(date)
}

/**
 * Returns an element that shows how long ago a time is, or how far ahead. `updateTimes` keeps it right.
 * @param {string} time
 * @param {'due' | 'since'} what
 */
export function timeElement(time, what) {
  const made = document.createElement('time')
  made.dateTime = time
  made.title = new Date(time).toLocaleString('en-GB')
  made.dataset['shows'] = what
  update(made)
  return made
}

/** Updates every time on the page. */
export function updateTimes() {
  for (const found of document.querySelectorAll('time[data-shows]')) if (found instanceof HTMLTimeElement) update(found)
}

/** @param {HTMLTimeElement} element */
function update(element) {
  const ahead = new Date(element.dateTime).getTime() - Date.now()
  const isDue = element.dataset['shows'] === 'due'
  const text = !isDue ? `${duration(Math.max(0, -ahead))} ago` : ahead > 0 ? `due in ${duration(ahead)}` : 'due now'
  if (element.textContent !== text) element.textContent = text
  if (isDue) element.dataset['urgency'] = ahead < 0 ? 'over' : ahead < HOUR ? 'soon' : ahead < DAY ? 'today' : 'later'
}
