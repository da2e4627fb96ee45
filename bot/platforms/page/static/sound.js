// Three short sounds, made as they are played: a move, a capture, the end.

/** @typedef {"move" | "capture" | "end"} Sound */

/** Of each sound its notes: Hz at the beginning and at the end, seconds from now, seconds long. @type {Record<Sound, number[][]>} */
const NOTES = {
  move: [[420, 190, 0, 0.07]],
  capture: [[300, 90, 0, 0.12], [900, 200, 0, 0.05]],
  end: [[523, 523, 0, 0.25], [659, 659, 0.12, 0.25], [784, 784, 0.24, 0.45]],
};
const LOUD = 0.25;

/** @type {AudioContext | undefined} */
let audio;

/** Play a sound. @param {Sound} name */
export function play(name) {
  if (!self.AudioContext) return;
  audio ??= new AudioContext();
  void audio.resume();
  for (const [from, to, after, long] of NOTES[name]) {
    const start = audio.currentTime + after;
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    tone.type = "triangle";
    tone.frequency.setValueAtTime(from, start);
    tone.frequency.exponentialRampToValueAtTime(to, start + long);
    volume.gain.setValueAtTime(LOUD, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + long);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + long);
  }
}
