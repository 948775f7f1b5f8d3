use super::*;

fn places() -> Arc<Places> {
    Places::new(&ServerLimits {
        connections_max: 3,
        connections_per_address_max: 1,
        ..ServerLimits::default()
    })
}

#[test]
fn an_address_has_its_own_limit_and_a_place_is_given_back() {
    let places = places();
    let one = IpAddr::from([192, 0, 2, 1]);
    let place = places.take(one).unwrap();
    assert!(places.take(one).is_none());
    let other = places.take(IpAddr::from([192, 0, 2, 2])).unwrap();
    drop(place);
    assert!(places.take(one).is_some());
    drop(other);
    assert!(places.lock().is_empty());
}

#[test]
fn a_proxy_on_this_machine_has_the_limit_of_all() {
    let places = places();
    let here = IpAddr::from([127, 0, 0, 1]);
    let taken: Vec<_> = (0..4).map_while(|_| places.take(here)).collect();
    assert_eq!(taken.len(), 3);
    assert_eq!(places.taken(), 3);
}
